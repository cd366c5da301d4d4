"""Mean time in the system of open queues, first come first served, in the steady state.

`rate` is of arrivals, per the unit in which all times are: events per second with seconds, events per ns with ns.
`service` is the mean service time s, `variance` its variance in that unit squared, rho = rate x service the load. What
comes back is the mean time W from arrival to the end of service, in the same unit; waiting alone is W - s. Arguments
may be arrays, which are broadcast. Arrivals are Poisson unless it is said otherwise.

mm1, md1, mg1   exponential, constant and any service (Kleinrock 1975; Erlang 1909; Pollaczek 1930, Khinchine 1932)
mg1_first       the first service of each busy period is another one, such as a wake-up (Yeo 1962; Welch 1964)
batch           a + b n for the n events that are present when the server looks: gated batches
mmc, mgc        c servers: exponential (Erlang 1917), any service (Lee and Longton 1959, an approximation)
kingman         any arrivals, any service (Kingman 1961, an approximation, best in heavy traffic)
dd1             evenly spaced arrivals, constant service: nobody waits

LabError when a value is not finite, negative or, of rate and service, zero, and when rho is 1 or more.
A closed queue, where a fixed number of events is always inside, is `pipeline.models.closed_queue`.
"""

from __future__ import annotations

import numpy as np

from pipeline.ground.errors import LabError

MOST = 1e100  # of a rate or a time; the least is its inverse
MOST_SERVERS = 1_000_000
MOST_STEPS = 100_000  # of the recursion for the share of idle looks: enough up to a load of 99.98 %


def mm1(rate, service):
    """W = s / (1 - rho); W is exponentially distributed, so its percentiles are -log(1 - level) W."""
    rate, service, rho = _open(rate, service)
    return service / (1 - rho)


def md1(rate, service):
    """W = s + s rho / (2 (1 - rho))."""
    return mg1(rate, service, 0.0)


def mg1(rate, service, variance):
    """W = s + rate E[S^2] / (2 (1 - rho)), by Pollaczek and Khinchine."""
    rate, service, rho = _open(rate, service)
    second = service**2 + _at_least_0("variance", variance)
    return service + rate * second / (2 * (1 - rho))


def found_idle(rate, service, first):
    """Share of events that find the server idle when these take `first` on the average and the others `service`:
    (1 - rho) / (1 - rho + rate first)."""
    rate, service, rho = _open(rate, service)
    return (1 - rho) / (1 - rho + rate * _at_least_0("first service", first))


def mg1_first(rate, service, variance, first, first_variance):
    """W of M/G/1 where an event that finds the server idle takes S0 (mean `first`) and every other one S.

    With p the share that finds it idle, the mean wait, which is the mean work found, is
    rate (p E[S0^2] + (1 - p) E[S^2]) / (2 (1 - rho)): the drifts of work and of its square are 0.
    """
    rate, service, rho = _open(rate, service)
    first = _at_least_0("first service", first)
    idle = found_idle(rate, service, first)
    second = service**2 + _at_least_0("variance", variance)
    first_second = first**2 + _at_least_0("variance of the first service", first_variance)
    work = rate * (idle * first_second + (1 - idle) * second) / (2 * (1 - rho))
    return work + idle * first + (1 - idle) * service


def batch(rate, per_batch, per_event, *, before=None, event_variance=0.0, idle=None):
    """W where the server takes all n events present as one batch, which takes a + b n: `per_batch` a, `per_event` b.

    Event k of a batch is done after `before` + b k; before is the part of a that precedes the first event, all of it
    unless told otherwise. `event_variance`: of b. `idle`: the share of batches after which nothing was there, as
    measured; 0 where something always is; computed for constant costs when not given. The capacity is 1 / b and
    rho = rate b. From the first two moments of the length V of a batch, by the balance of N and V:
    E[N] = rate E[V] + idle and E[N^2] = E[N] + rate^2 E[V^2] (after Takine, arXiv 2604.10891; Inoue 2021). a = 0 is
    M/D/1; without idle looks W = before + a / 2 + b + (a + b / 2) rho / (1 - rho).
    LabError also when a share is above 1, or 0 with an a of 0.
    """
    rate, b, rho = _open(rate, per_event, "time per event")
    a = _at_least_0("time per batch", per_batch)
    before = a if before is None else _at_least_0("time before the first event", before)
    variance = _at_least_0("variance", event_variance)
    size = batch_size(rate, a, b, idle=idle)
    square = (a**2 + (2 * a * b + b**2 + variance) * size) / (1 - rho**2)
    return before + b + (1 + rho) * rate * square / (2 * size)


def batch_size(rate, per_batch, per_event, *, idle=None):
    """Mean number of events in a batch of `batch`: (rate a + idle) / (1 - rho)."""
    rate, b, rho = _open(rate, per_event, "time per event")
    a = _at_least_0("time per batch", per_batch)
    idle = idle_looks(rate, a, b) if idle is None else _at_least_0("share of idle looks", idle)
    if np.any(idle > 1):
        raise LabError("queueing: the share of idle looks lies between 0 and 1; divide idle looks by all looks")
    if np.any((idle == 0) & (a == 0)):
        raise LabError("queueing: batches that cost nothing leave the server idle; give the share of idle looks")
    return (rate * a + idle) / (1 - rho)


def idle_looks(rate, per_batch, per_event):
    """Share of batches, each a + b n long, after which nothing is there.

    The generating function of the batch size obeys P(z) = exp(-u rate a) P(exp(-u rho)) - u P0 with u = 1 - z. Followed
    from P(0) = 0, where u is 1, to P(1) = 1 it yields P0 = product / sum, with u becoming 1 - exp(-u rho) at each step;
    where u is small it shrinks by rho, and the rest is a geometric series.
    """
    rate, _, rho = _open(rate, per_event, "time per event")
    rate, rho, a = np.broadcast_arrays(rate, rho, _at_least_0("time per batch", per_batch))
    u, log_product, total = np.ones(rho.shape), np.zeros(rho.shape), np.zeros(rho.shape)
    for _ in range(MOST_STEPS):
        if (u <= 1e-7 * (1 - rho)).all():
            break
        total += np.exp(log_product) * u
        log_product -= u * rate * a
        u = -np.expm1(-u * rho)
    rest = u / (1 - rho)
    return np.exp(log_product - rest * rate * a) / (total + np.exp(log_product) * rest)


def erlang_c(servers, offered):
    """Probability that an event waits in M/M/c; `offered` is rate x service, in servers.

    By the recursion of Erlang's loss formula, 1 / B(k) = 1 + k / (offered B(k - 1)), which neither overflows nor loses
    digits, however many servers there are.
    """
    offered = _at_least_0("offered load", offered)
    if isinstance(servers, bool) or servers != np.floor(servers) or not 1 <= servers <= MOST_SERVERS:
        raise LabError(f"queueing: {servers} servers; give a whole number from 1 to {MOST_SERVERS:,}")
    _below_1(offered / servers)
    lost = np.ones(offered.shape)
    for k in range(1, int(servers) + 1):
        carried = offered * lost
        lost = carried / (k + carried)
    return lost / (1 - offered / servers * (1 - lost))


def mmc(rate, service, servers):
    """W = s + C s / (c (1 - rho)), with rho = rate s / c and Erlang's C."""
    rate, service = _above_0("rate", rate), _above_0("service time", service)
    waits = erlang_c(servers, rate * service)
    return service + waits * service / (servers - rate * service)


def mgc(rate, service, variance, servers):
    """W = s + (1 + c_s^2) / 2 x the wait of M/M/c, c_s^2 = variance / s^2; exact for one server."""
    wait = mmc(rate, service, servers) - service
    return service + wait * (1 + _at_least_0("variance", variance) / np.square(service)) / 2


def kingman(rate, service, variance, arrival_cv2):
    """W ~ s + s rho / (1 - rho) (c_a^2 + c_s^2) / 2; `arrival_cv2` is c_a^2, the variance of the times between arrivals
    over their mean squared: 1 of Poisson arrivals, 0 of evenly spaced ones."""
    rate, service, rho = _open(rate, service)
    spread = _at_least_0("arrival_cv2", arrival_cv2) + _at_least_0("variance", variance) / service**2
    return service + service * rho / (1 - rho) * spread / 2


def dd1(rate, service):
    """W = s at any load below 1."""
    rate, service, rho = _open(rate, service)
    return service + 0 * rho


def _open(rate, service, name: str = "service time"):
    """(rate, service, rho), of which rho is below 1."""
    rate, service = _above_0("rate", rate), _above_0(name, service)
    return rate, service, _below_1(rate * service)


def _below_1(rho):
    if np.any(rho >= 1):
        raise LabError(
            f"queueing: rate x service time, the load, is {np.max(rho):.4g}, and from 1 the queue grows without bound: "
            "lower the rate, or give it per the time unit of the service time"
        )
    return rho


def _above_0(name: str, value):
    value = _at_least_0(name, value)
    if np.any(value == 0):
        raise LabError(f"queueing: {name} is 0; it must be above 0")
    if np.any((value > MOST) | (value < 1 / MOST)):
        raise LabError(f"queueing: {name} is beyond {1 / MOST:g} to {MOST:g}; give it in another unit")
    return value


def _at_least_0(name: str, value):
    value = np.asarray(value, dtype=np.float64)
    wrong = value[~((value >= 0) & (value <= MOST**2))]
    if not value.size or wrong.size:
        given = f"is {wrong.flat[0]:g}" if wrong.size else "has no value"
        raise LabError(f"queueing: {name} {given}; give a finite number that is not negative, up to {MOST**2:g}")
    return value
