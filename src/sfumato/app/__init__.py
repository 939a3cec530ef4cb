"""The local web app: pages that render what other rooms say, on this machine and for nobody else."""
