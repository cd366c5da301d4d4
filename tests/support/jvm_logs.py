"""A compilation log as HotSpot writes it, of both tiers."""

LOG = """\
<nmethod compile_id='113' compiler='c1' level='3' size='900' method='lab.Kernel callAll (I)I' stamp='0.1'/>
<nmethod compile_id='139' compiler='c2' level='4' size='1968' insts_offset='464' stub_offset='1616' \
method='lab.Kernel callAll (I)I' stamp='0.998'/>
<task compile_id='113' method='lab.Kernel callAll (I)I' level='3' stamp='0.665'>
<call method='1' virtual='1'/><virtual_call bci='25'/>
</task>
<task compile_id='139' method='lab.Kernel callAll (I)I' bytes='39' stamp='0.930'>
<klass id='1253' name='lab.Receiver1' flags='0'/>
<klass id='1254' name='lab.IntOperation' flags='1536'/>
<method id='1256' holder='1254' name='map' return='1112'/>
<call method='1256' count='408774' prof_factor='1.000000' virtual='1' inline='1'/>
<method id='1259' holder='1253' name='map' return='1112'/>
<call method='1259' count='408774' prof_factor='1.000000' inline='1'/>
<inline_success reason='inline (hot)'/>
<call method='1256' count='5' prof_factor='0.1' virtual='1' inline='1'/>
<inline_fail reason='virtual call'/>
<virtual_call bci='25'/>
</task>
"""
