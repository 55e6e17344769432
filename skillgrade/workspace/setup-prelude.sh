# Sourced before a set-up's script, so that the script's own line numbers stay right.
unset BASH_ENV
exec 2>&1
# Where pip puts packages below a prefix is for the interpreter to say (posix_prefix, or posix_local on Debian).
export PYTHONPATH=$(python3 - "$PIP_PREFIX" 2>/dev/null <<'PYTHON'
import sys
import sysconfig

scheme = sysconfig.get_preferred_scheme("prefix")
print(sysconfig.get_path("purelib", scheme, vars={"base": sys.argv[1], "platbase": sys.argv[1]}))
PYTHON
)
[ -n "$PYTHONPATH" ] || unset PYTHONPATH
