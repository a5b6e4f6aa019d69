#!/usr/bin/env bash
# Starts a Slurm of one machine, for tests: munged, slurmctld and slurmd, as root,
# with everything they write in a folder. Needs Debian's munge and slurm-wlm, no
# systemd and no cgroups.
#
#   start-slurm.sh FOLDER      starts it; then SLURM_CONF=FOLDER/slurm.conf sbatch ...
#   start-slurm.sh FOLDER node starts its slurmd again, after a kill
#   start-slurm.sh FOLDER stop ends it
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
export SLURM_CONF=$folder/slurm.conf

# started runs a command until it succeeds, for twenty seconds.
started() {
	for _ in $(seq 200); do
		if "$@" >/dev/null 2>&1; then return; fi
		sleep 0.1
	done
	echo "not there after 20 s: $*" >&2
	tail -n 5 "$folder"/*.log >&2 || true
	exit 1
}

# end ends the daemon of a pid file.
end() {
	local pid
	pid=$(cat "$folder/$1.pid" 2>/dev/null) || return 0
	kill -9 "$pid" 2>/dev/null || true
}

# A node that has been away is idle again when it has registered.
node() {
	slurmd -N node </dev/null >/dev/null 2>&1
	started sh -c 'sinfo -h -o %T | grep -qx -e idle -e mixed -e allocated'
}

case ${2:-start} in
stop)
	timeout 5 scancel --user=root --quiet 2>/dev/null || true
	end slurmctld
	end slurmd
	end munged
	exit
	;;
node)
	node
	exit
	;;
esac

# The numbers of ports that the system hands out itself begin above.
port=$((10000 + RANDOM % 20000))
mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
chmod 700 "$folder/munge"
dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none
chmod 400 "$folder/munge/key"
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=1
MinJobAge=60
SlurmdParameters=config_overrides
SlurmdTimeout=120
ReturnToService=2
NodeName=node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=${SLURM_TEST_CPUS:-64} State=UNKNOWN
PartitionName=main Nodes=node Default=YES MaxTime=60 State=UP
CONF

# munged insists on folders that nobody else can write to.
munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
	--log-file="$folder/munge/log" --seed-file="$folder/munge/seed" </dev/null >/dev/null 2>&1
slurmctld </dev/null >/dev/null 2>&1
started scontrol ping
node
