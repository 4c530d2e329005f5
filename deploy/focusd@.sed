# Makes focusd@.service, of which there may be several on a machine, out of focusd.service: sed -f deploy/focusd@.sed
1,/^$/c\
# One of several servers on this machine, as a system service: systemctl enable --now focusd@one focusd@two\
#\
# Each keeps what is its own in a folder of its name, /var/lib/focusd-one, and starts only once there is a key in it: servers\
# that share a database have the same one. So before the first start, as root (docs/scaling.md, "Several servers on one machine"):\
#   install -d -m 700 /var/lib/focusd-one /var/lib/focusd-two\
#   editor /var/lib/focusd-one/focusd.conf /var/lib/focusd-two/focusd.conf\
#   focusd init --address HOST:7853 --address HOST:7855 --data /var/lib/focusd-one\
#   cp /var/lib/focusd-one/identity.pem /var/lib/focusd-two\
# Both files say the same 'store'. Each has to say its own 'listen', such as [::]:7853 and [::]:7855, and its own 'metrics',\
# such as 127.0.0.1:7854 and 127.0.0.1:7856: no two can have the same port.\

s/^\(Description=Lockstep's server\)/\1 %i/
s/^StateDirectory=focusd$/StateDirectory=focusd-%i/
/^StartLimitIntervalSec=/i\
# Whose key isn't that of the others no laptop would know, so none is made here.\
AssertPathExists=/var/lib/focusd-%i/identity.pem
/^# Makes the server's key/d
/^ExecStartPre=/d
