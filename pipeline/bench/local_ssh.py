"""An `ssh` to this very machine: it runs the command in a shell and forwards the ports it was asked to; started alone.

Like the real one it leaves the command alone when it is ended. LAB_LINK: bytes a second that a forwarded port lets
through.
"""

from __future__ import annotations

import asyncio
import os
import sys


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: float) -> None:
    try:
        while content := await reader.read(1 << 14):
            writer.write(content)
            await writer.drain()
            if limit:
                await asyncio.sleep(len(content) / limit)
    except OSError:
        pass
    finally:
        writer.close()


async def main(words: list[str]) -> int:
    at = words.index("--")
    options, command = words[:at], words[at + 2]
    limit = float(os.environ.get("LAB_LINK", "0"))
    for name, value in zip(options, options[1:], strict=False):
        if name in ("-R", "-L"):
            host, port, to, target = value.split(":")

            async def connected(reader, writer, to=to, target=int(target)) -> None:
                try:
                    away, back = await asyncio.open_connection(to, target)
                except OSError:
                    return writer.close()
                await asyncio.gather(_copied(reader, back, limit), _copied(away, writer, limit))

            try:
                await asyncio.start_server(connected, host, int(port))
            except OSError as error:
                print(f"ssh: {error}", file=sys.stderr)
                return 255
    running = await asyncio.create_subprocess_exec("/bin/sh", "-c", command, start_new_session=True)
    status = await running.wait()
    return status if status >= 0 else 255


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
