/* On how many GPUs launchers and schedulers start a job. */
#include "tests/support/inputs.hpp"

extern "C" {
#include "sim/import/import.h"
}

using namespace stepsim;

namespace
{

const std::string program =
    " pretrain_gpt.py --num-layers 8 --hidden-size 64 --num-attention-heads 4 --vocab-size 128 --seq-length 64 "
    "--tensor-model-parallel-size 2\n";

/* Replicas of a script; 1 where it does not say on how many GPUs it runs. */
int64_t replicas(const std::string &script)
{
  ss_workload workload;
  ss_import import;
  ss_error error = {};
  ss_import_init(&import, &workload);
  EXPECT_EQ(ss_import_read_text(&import, "FILE", script.c_str(), &error), SS_OK) << error.message << "\n" << script;
  EXPECT_EQ(ss_import_complete(&import, &error), SS_OK) << error.message;
  ss_import_free(&import);
  return workload.parallelism.dp;
}

} // namespace

/* torchrun is on one node where nobody says: --nnodes 1:1 of torch/distributed/run.py. */
TEST(Launchers, Torchrun)
{
  EXPECT_EQ(replicas("torchrun --nproc_per_node 8" + program), 4);
  EXPECT_EQ(replicas("python -m torch.distributed.launch --nproc-per-node=8" + program), 4);
  EXPECT_EQ(replicas("torchrun --nproc_per_node 8 --nnodes 4" + program), 16);
  EXPECT_EQ(replicas("torchrun --nproc_per_node 8 --nnodes $NODES" + program), 1);
  EXPECT_EQ(replicas("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\nsrun torchrun --nproc_per_node 8" + program), 16);
  EXPECT_EQ(replicas("#SBATCH --ntasks=4\nsrun torchrun --nproc_per_node 8 --nnodes $N" + program), 1);
}

/* Without a file of hosts: fetch_hostfile of deepspeed/launcher/runner.py. */
TEST(Launchers, DeepSpeed)
{
  EXPECT_EQ(replicas("deepspeed --num_gpus 8" + program), 4);
  EXPECT_EQ(replicas("deepspeed --num_gpus 8 --num_nodes 2" + program), 8);
  EXPECT_EQ(replicas("deepspeed --num_gpus 8 --hostfile hosts" + program), 1);
}

TEST(Launchers, Slurm)
{
  EXPECT_EQ(replicas("srun -N 4 --ntasks-per-node 8 python" + program), 16);
  EXPECT_EQ(replicas("srun -N4 --ntasks-per-node=8 python" + program), 16);
  EXPECT_EQ(replicas("srun -n 32 python" + program), 16);
  EXPECT_EQ(replicas("srun --ntasks 32 --gpus-per-task 1 python" + program), 16);
  EXPECT_EQ(replicas("srun -N 4 -n 32 --gpus-per-node 8 python" + program), 16);
  EXPECT_EQ(replicas("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\nsrun bash run.sh python" + program), 1);
  EXPECT_EQ(replicas("#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=1\nsrun python" + program), 1);
}

TEST(Launchers, MpiAndAccelerate)
{
  EXPECT_EQ(replicas("mpirun -np 32 -x NCCL_DEBUG=INFO python" + program), 16);
  EXPECT_EQ(replicas("mpirun --allow-run-as-root -n 32 -mca pml ob1 python" + program), 16);
  EXPECT_EQ(replicas("accelerate launch --multi_gpu --num_processes 32 --num_machines 4 --machine_rank 0" + program),
            16);
}
