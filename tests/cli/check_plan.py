# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_plan.py TIDEMARK_CLI DATA_DIR: what `plan` takes, prints and refuses."""

import json
import pathlib
import sys
import tempfile

import contract
import harness

GIB = 1 << 30
MODEL = "Qwen/Qwen2.5-0.5B"
HOSTILE = "x\x1b[31m\nred"


def planned(program, *arguments):
    done = program.run("plan", "--json", *arguments)
    assert done.returncode in (0, 1), f"plan {arguments}: {done.stderr.strip()}"
    return json.loads(done.stdout, parse_constant=harness.refuse_constant), done.returncode


def check_contract(checks, program):
    for options in ([], ["--capacity", "A100-80GB"], ["--capacity", "4GiB", "--gpus", "8"], ["--mode", "inference"],
                    ["--lora", "8", "--checkpointing", "full", "--precision", "bf16"], ["--target", "cpu"],
                    ["--tensor-parallel", "2", "--sequence-parallel", "--pipeline-parallel", "4", "--accumulation", "8"],
                    ["--gpus", "8", "--zero", "3", "--offload-states", "nvme", "--offload-parameters", "cpu"],
                    ["--lora", "8", "--quantize", "nf4-double", "--precision", "bf16"], ["--padded"],
                    ["--attention", "own", "--own-code", "activation,loss,loop", "--optimizer", "adamw-for-loop"]):
        plan, _ = planned(program, MODEL, *options)
        wrong = contract.complaints(plan, contract.PLAN)
        checks.that(not wrong, f"plan {options}: {'; '.join(wrong[:4])}")
        checks.equal(f"plan {options}: buckets", sum(plan["buckets"].values()), plan["peak_requested_bytes"])
        checks.equal(f"plan {options}: its peak's phase", plan["phase_peaks"][plan["peak_phase"]],
                     max(plan["phase_peaks"].values()))
        checks.that(plan["low_bytes"] < plan["peak_requested_bytes"] < plan["high_bytes"], f"plan {options}: range")
        checks.equal(f"plan {options}: need", plan["need_bytes"],
                     plan["reserved_bytes"] + plan["workspace_bytes"] + plan["context_bytes"])
        checks.that(plan["limits"]["micro_batch"] is None or "--capacity" in options, f"plan {options}: limits")


def check_curve(checks, program):
    # Of the stage with the largest peak: the last has the logits.
    plan, _ = planned(program, MODEL, "--batch", "4", "--pipeline-parallel", "4", "--points", "50")
    checks.equal("the curve of a pipeline", (plan["stage"], max(point["requested_bytes"] for point in plan["curve"])),
                 (3, plan["peak_requested_bytes"]))
    plan, _ = planned(program, MODEL, "--points", "50")
    totals = [point["requested_bytes"] for point in plan["curve"]]
    moments = [point["moment"] for point in plan["curve"]]
    checks.equal("the curve's peak", max(totals), plan["peak_requested_bytes"])
    checks.that(40 <= len(totals) <= 50 and moments == sorted(set(moments)), f"the curve has {len(totals)} points")
    checks.equal("the curve's phases", {point["phase"] for point in plan["curve"]} <= contract.PHASES, True)
    for bucket, total in plan["buckets"].items():
        named = sum(role["bytes"] for role in plan["roles"] if role["bucket"] == bucket)
        checks.that(named <= total, f"roles of {bucket}")
    checks.that(any(role["role"] == "logits" for role in plan["roles"]), "no logits at the peak of a backward")


def check_inference(checks, program):
    for mode, trains in (("inference", False), ("forward", False), ("train", True)):
        said = program.run("plan", MODEL, "--mode", mode, "--precision", "bf16", "--capacity", "80GB").stdout
        checks.equal(f"{mode} has an optimizer", "optimizer state are 16-bit" in said, trains)
        checks.that(trains or "Weights are 16-bit." in said, f"weights of {mode}: {said}")
        checks.that("\nTrained" not in said, f"of {mode} what is trained: {said}")
        checks.that("What fits" in said or "cheapest first" in said, f"{mode}: {said}")
        fixes = said.partition("Fixes, cheapest first\n")[2]
        checks.that("cheapest first" not in said or "Order" in fixes, f"a heading without fixes in {mode}: {said}")


def check_exit_code(checks, program):
    plan, code = planned(program, MODEL, "--capacity", "4GiB")
    checks.equal("too small a card", (plan["fits"], code), (False, 1))
    checks.that(plan["answer"] is not None, "too small a card: no answer")
    plan, code = planned(program, MODEL, "--capacity", "A100-80GB")
    checks.equal("a large card", (plan["fits"], code), (True, 0))
    text = program.run("plan", MODEL, "--capacity", "A100-80GB").stdout
    checks.that("ZeRO: not needed." in text and "at least 1 GPU" not in text, "one GPU is said to be sharded")
    small, _ = planned(program, MODEL, "--capacity", plan["smallest_card"])
    checks.equal("the smallest card holds it", small["fits"], True)
    checks.that(small["capacity_bytes"] < plan["capacity_bytes"], "the smallest card is as large as that one")
    huge, _ = planned(program, MODEL, "--batch", "4096")
    checks.equal("no card holds it", huge["smallest_card"], None)
    text = program.run("plan", MODEL, "--mode", "inference").stdout
    checks.that("fp32, inference, sdpa attention" in text and "adam" not in text.lower(), "inference has an optimizer")
    text = program.run("plan", MODEL, "--capacity", "4GiB")
    checks.that(text.returncode == 1 and "does not fit" in text.stdout, "the text does not say that it does not fit")


def check_division(checks, program):
    """More GPUs for one model need less each; what leaves the card is on the host's own line."""
    options = ["--precision", "bf16-master", "--sequence", "1024"]
    one, _ = planned(program, MODEL, *options)
    for more in (["--tensor-parallel", "2"], ["--pipeline-parallel", "4"], ["--context-parallel", "2", "--zero", "3"],
                 ["--gpus", "2", "--zero", "2", "--offload-states", "cpu"]):
        several, _ = planned(program, MODEL, *options, *more)
        checks.that(several["peak_requested_bytes"] < one["peak_requested_bytes"], f"plan {more}: no smaller")
        checks.equal(f"plan {more}: on the host", several["host_bytes"] > 0, "--offload-states" in more)
    text = program.run("plan", MODEL, *options, *more).stdout
    checks.that("Host memory" in text and "optimizer states in host memory" in text, "the text has no line of the host")
    run = "zero_optimization.stage=3 zero_optimization.offload_optimizer.device=nvme num_gpus=4"
    told, _ = planned(program, MODEL, run)
    checks.equal("offload of a configuration", told["run"]["offload_states"], "nvme")
    checks.that(told["nvme_bytes"] > 0 and told["host_bytes"] > 0, "NVMe has no line of its own")


VERL = """data.max_prompt_length=512 data.max_response_length=1536
actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.name=vllm
actor_rollout_ref.rollout.gpu_memory_utilization={share} actor_rollout_ref.rollout.n=5
actor_rollout_ref.ref.fsdp_config.param_offload={offload} trainer.n_gpus_per_node=8 trainer.nnodes=1""".replace("\n", " ")


def check_adapters(checks, program):
    """Rank and targets to parameters, and back; by options, and by what a trainer was told."""
    # 24 layers: queries 896 to 896, values 896 to 128.
    each = 24 * ((896 + 896) + (896 + 128))
    targets = ["--lora-targets", "q_proj,v_proj"]
    plan, _ = planned(program, MODEL, "--lora", "64", *targets)
    checks.equal("parameters of rank 64", plan["model"]["trained_parameters"], 64 * each)
    checks.that(any(f"{each:,} parameters per rank unit" in words for words in plan["assumptions"]), "no sentence")
    back, _ = planned(program, MODEL, "--lora-parameters", str(64 * each), *targets)
    checks.equal("the rank of so many", back["run"]["lora"], {"rank": 64, "targets": ["q_proj", "v_proj"]})
    near, _ = planned(program, MODEL, "--lora-parameters", "4.3M", *targets)
    checks.equal("the nearest rank", near["run"]["lora"]["rank"], 64)
    for told in ('{"peft_type": "LORA", "r": 8, "target_modules": ["q_proj", "v_proj"]}', "lora_r: 8\nlora_target_modules: "
                 "[q_proj, v_proj]\nuse_peft: true", "finetuning_type: lora\nlora_rank: 8\nlora_target: q_proj,v_proj"):
        plan, _ = planned(program, MODEL, told)
        checks.equal(f"adapters of {told[:24]!r}", plan["run"]["lora"], {"rank": 8, "targets": ["q_proj", "v_proj"]})
    everything, _ = planned(program, MODEL, "--lora", "8", "--lora-targets", "all-linear")
    checks.equal("all linear layers", len(everything["run"]["lora"]["targets"]), 7)
    named, _ = planned(program, MODEL, "--lora", "64:q_proj,v_proj")
    checks.equal("layers behind the rank", named["model"]["trained_parameters"], 64 * each)
    usual, _ = planned(program, MODEL, "--lora", "64")
    checks.equal("layers that nobody names are PEFT's", usual["run"]["lora"]["targets"], ["q_proj", "v_proj"])
    unknown = program.run("plan", MODEL, "--lora", "8:c_attn")
    checks.that(unknown.returncode == 2 and "q_proj" in unknown.stderr, f"an unknown layer: {unknown.stderr}")


def check_reward(checks, program, without):
    """A reward model with an engine of its own on the card, one elsewhere, and TRL's, whose weights stay."""
    def of_verl(*settings):
        text = " ".join([VERL.format(share=0.4, offload="False"), *settings])
        return planned(program, MODEL, text, "--capacity", "A100-80GB")[0]["rollout"]
    judged = of_verl("reward.reward_model.enable=True", "reward.reward_model.rollout.gpu_memory_utilization=0.6")
    moments = {moment["moment"]: {part["who"]: part["bytes"] for part in moment["parts"]} for moment in judged["moments"]}
    checks.equal("a reward model's moments", list(moments), ["generation", "judging", "scoring", "update"])
    checks.equal("a reward model's engine sleeps", [name for name in moments if "reward model" in moments[name]], ["judging"])
    judge, engine = moments["judging"]["reward model"], moments["generation"]["rollout engine"]
    checks.that(abs(2 * judge - 3 * engine) <= 3, f"a reward model's share: {judge} beside {engine}")  # 0.6 and 0.4, whole bytes
    awake = of_verl("reward_model.enable=True", "reward_model.rollout.free_cache_engine=False")
    checks.that(all(part["bytes"] > 0 for moment in awake["moments"] for part in moment["parts"] if
                    part["who"] == "reward model") and sum(part["who"] == "reward model" for moment in awake["moments"]
                                                           for part in moment["parts"]) == 4, "an engine that never sleeps")
    for settings in (["reward_model.enable=False"], ["reward_model.enable=True", "reward_model.enable_resource_pool=True"]):
        checks.equal(f"{settings}", of_verl(*settings)["moments"], without["moments"])
    critic = of_verl("algorithm.adv_estimator=gae")["notes"]
    checks.that(any("critic" in note for note in critic) and not any("critic" in note for note in without["notes"]), "no critic")
    for name, size in ((MODEL, 2 * 494032768), ("somebody/reward", None)):
        trl, _ = planned(program, MODEL, f"use_vllm: true\nbf16: true\nreward_model_name_or_path: {name}", "--capacity",
                         "RTX-4090")
        sizes = {part["bytes"] for moment in trl["rollout"]["moments"] for part in moment["parts"]
                 if part["who"] == "reward model"}
        checks.equal(f"TRL's reward model {name}", sizes, {size} if size else set())
        checks.equal(f"TRL's note on {name}", any("Unknown reward model" in note for note in trl["rollout"]["notes"]), not size)


def check_rollout(checks, program):
    """A trainer and the engine that writes for it on one card, with what is there when."""
    def run(share=0.4, offload="False", *more):
        found, code = planned(program, MODEL, VERL.format(share=share, offload=offload), *more)
        return found, code
    plan, code = run(0.4, "False", "--capacity", "A100-80GB")
    rollout = plan["rollout"]
    wrong = contract.complaints(rollout, contract.ROLLOUT)
    checks.that(not wrong, f"plan of veRL: {'; '.join(wrong[:4])}")
    checks.equal("veRL: tokens", plan["run"]["sequence"], 2048)
    checks.equal("veRL: sharded", (plan["run"]["zero"], plan["run"]["gpus"], plan["run"]["batch"]), (3, 8, 4))
    checks.equal("veRL: answers", rollout["answers_per_prompt"], 5)
    checks.equal("veRL: it fits", (rollout["fits"], code), (True, 0))
    for moment in rollout["moments"]:
        checks.equal(f"veRL: {moment['moment']}", moment["bytes"], sum(part["bytes"] for part in moment["parts"]))
    checks.equal("veRL: the peak", rollout["peak_bytes"], max(moment["bytes"] for moment in rollout["moments"]))
    checks.equal("veRL: the engine's share", rollout["moments"][0]["parts"][0]["bytes"],
                 round(0.4 * plan["capacity_bytes"]))
    # 24 layers, 2 heads of keys, 64 wide, 16 bits, keys and values; veRL's engines are of two GPUs.
    checks.equal("veRL: cache", rollout["cache_tokens"], rollout["cache_bytes"] // (2 * 24 * 2 * 64 * 2 // 2))
    checks.equal("veRL: sequences", rollout["cache_sequences"], rollout["cache_tokens"] // 2048)
    check_reward(checks, program, rollout)
    offloaded, _ = run(0.4, "True", "--capacity", "A100-80GB")
    who = {part["who"] for moment in rollout["moments"] for part in moment["parts"]}
    without = {part["who"] for moment in offloaded["rollout"]["moments"] for part in moment["parts"]}
    checks.equal("veRL: an offloaded reference", (who - without, without - who), ({"reference"}, set()))
    full, code = run(0.99, "False", "--capacity", "A100-80GB")
    checks.equal("veRL: too much for the engine", (full["rollout"]["peak_moment"], full["rollout"]["fits"] is True),
                 ("generation", False))
    trl, _ = planned(program, MODEL, "use_vllm: true\nvllm_gpu_memory_utilization: 0.25\nbf16: true\nbeta: 0.04\n"
                     "per_device_train_batch_size: 8", "--capacity", "RTX-4090")
    awake = [moment["parts"][0] for moment in trl["rollout"]["moments"]]
    checks.equal("TRL: an engine that never sleeps", {part["who"] for part in awake}, {"rollout engine"})
    server, _ = planned(program, MODEL, "use_vllm: true\nvllm_mode: server\nbf16: true", "--capacity", "RTX-4090")
    checks.that("rollout" not in server, "TRL: a server elsewhere is counted")
    text = program.run("plan", MODEL, VERL.format(share=0.4, offload="False"), "--capacity", "A100-80GB").stdout
    checks.that("Everything on the GPU" in text and "tokens" in text, "the text has no moments")
    small = program.run("plan", MODEL, VERL.format(share=0.01, offload="False"), "--capacity", "RTX-4090")
    checks.that(small.returncode == 2 and "gpu_memory_utilization" in small.stderr, f"no room: {small.stderr}")


def check_against(checks, program, folder):
    """A plan of what was recorded, and of something else, beside the recording."""
    recording = harness.data_dir(folder) / "modern/hf_llama.pickle.xz"
    truth = recording.with_name("hf_llama.truth.json")
    with tempfile.TemporaryDirectory() as name:
        config = pathlib.Path(name) / "config.json"
        dimensions = json.loads(truth.read_text(encoding="utf-8"))["dimensions"]
        config.write_text(json.dumps(dimensions["config"]), encoding="utf-8")
        options = ["--batch", dimensions["batch"], "--sequence", dimensions["sequence"], "--target", "cpu"]
        plan, _ = planned(program, config, *options, "--against", recording)
        found = plan["against"]
        wrong = contract.complaints(found, contract.AGAINST)
        checks.that(not wrong, f"plan --against: {'; '.join(wrong[:4])}")
        checks.that(abs(found["recorded_bytes"] / found["planned_bytes"] - 1) < 1e-4, found["sentence"])
        checks.that(found["same_bytes"] > 0.999 * found["recorded_bytes"], "the same tensors are not the same")
        native, _ = planned(program, config, *options, "--against", recording, "--reader", "native")
        checks.equal("plan --reader native", native["against"], found)
        other, _ = planned(program, config, *options, "--attention", "eager", "--against", recording)
        checks.that("mostly attention matrix" in other["against"]["sentence"], other["against"]["sentence"])
        text = program.run("plan", config, *options, "--against", recording).stdout
        checks.that("Plan vs. recording" in text and "Peak reserved" in text, "the text has no comparison")
    done = program.run("plan", MODEL, "--against", "/nowhere.pickle")
    checks.that(done.returncode == 2 and "nowhere" in done.stderr, f"a recording that is not there: {done.stderr}")


def check_output(checks, program):
    """A plan written as a recording reads as what was planned."""
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "run.pickle"
        options = ["--batch", "4", "--sequence", "512", "--precision", "bf16"]
        plan, _ = planned(program, MODEL, *options, "-o", recording)
        device = program.json("summary", recording)["devices"][0]
        workspace = plan["buckets"].get("workspace", 0)
        checks.equal("plan -o: the peak", device["peak"]["requested_bytes"], plan["peak_requested_bytes"] - workspace)
        checks.equal("plan -o: steps", len(device["steps"]), 2)
        moved = sum(abs(size - device["peak"]["buckets"].get(name, 0)) for name, size in plan["buckets"].items() if name != "workspace")
        checks.that(moved <= 0.02 * plan["peak_requested_bytes"], f"plan -o: {moved} bytes in other buckets: {device['peak']['buckets']}, not {plan['buckets']}")
        done = program.run("plan", MODEL, "-o", pathlib.Path(folder) / "run.unknown")
        checks.that(done.returncode == 2, f"a format that is none: {done.stderr}")
        before = recording.read_bytes()
        done = program.run("plan", MODEL, "--against", recording, "-o", recording)
        checks.that(done.returncode == 2 and recording.read_bytes() == before, f"onto the recording to compare with: {done.stderr}")


def check_answer(checks, program):
    """The remedy that is recommended is worth what it promises."""
    options = ["--batch", "16", "--sequence", "1024", "--capacity", "RTX-4090"]
    plan, _ = planned(program, MODEL, *options)
    answer = plan["answer"]
    checks.that(answer is not None and answer["fits"] is True, "a smaller batch does not make it fit")
    batch = plan["limits"]["micro_batch"]["value"]
    for value, fits in ((batch, True), (batch + 1, False)):
        again, _ = planned(program, MODEL, "--batch", value, *options[2:])
        checks.equal(f"batch {value}", again["fits"] is True, fits)


def check_configurations(checks, program, folder):
    known, _ = planned(program, MODEL, "--batch", "2", "--sequence", "512", "--accumulation", "4", "--precision",
                       "autocast-bf16", "--optimizer", "adamw-foreach", "--checkpointing", "full")
    run = folder / "args.yaml"
    run.write_text(
        "per_device_train_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: true\noptim: adamw_torch\n"
        "gradient_checkpointing: true\nmax_seq_length: 512\n", encoding="utf-8")
    told, _ = planned(program, MODEL, run)
    checks.equal("a trainer's configuration", told["peak_requested_bytes"], known["peak_requested_bytes"])
    model = folder / "config.json"
    model.write_text(json.dumps({
        "model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
        "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936, "tie_word_embeddings": True,
        "torch_dtype": "bfloat16"}), encoding="utf-8")
    own, _ = planned(program, model, run)
    checks.equal("a config.json", own["peak_requested_bytes"], known["peak_requested_bytes"])
    plain, _ = planned(program, model)
    checks.that(any("--precision bf16" in words for words in plain["assumptions"]),
                "the checkpoint's 16 bits are not mentioned")


def check_refusals(checks, program, folder):
    other = folder / "other.json"
    other.write_text('{"model_type": "mamba"}', encoding="utf-8")
    broken = folder / "broken.json"
    broken.write_text('{"model_type": "llama", "vocab_size": ' + json.dumps(HOSTILE) + "}", encoding="utf-8")
    damaged = folder / "damaged.json"
    damaged.write_text('{"model_type": "llama", "hidden_size": 4096,}', encoding="utf-8")
    for arguments, words in (
            ([damaged], "check brackets and commas"),
            (["qwen9-1T"], "neither a file nor a known model"),
            ([other], "supported: llama"),
            ([broken], "'vocab_size'"),
            ([MODEL, "gpt2"], "Give one model"),
            (["bf16=true"], "No model is given"),
            ([MODEL, "--zero", "2"], "several GPUs"),
            (["gpt2", "--sequence", "2000"], "1024 positions"),
            (["google/vit-base-patch16-224", "--sequence", "64"], "197 tokens"),
            (["gpt2", "--target-sequence", "64"], "no decoder with targets"),
            (["t5-small", "--attention", "flash"], "sdpa or eager"),
            ([MODEL, "--capacity", "RTX-9999"], "known GPU"),
            ([MODEL, "--optimizer", "lion"], "use adamw"),
            ([MODEL, "--lora", "8", "--lora-targets", "c_attn"], "q_proj"),
            ([MODEL, "--lora-targets", "q_proj"], "--lora"),
            ([MODEL, "--lora", "0"], "integer from 1"),
            ([MODEL, "--lora", "8:"], "names of layers"),
            ([MODEL, "--lora", "8:q_proj,gpus=2"], "one rank"),
            ([MODEL, "--tensor-parallel", "4"], "14 heads"),
            ([MODEL, "--quantize", "nf4"], "--lora"),
            ([MODEL, "--quantize", "fp3"], "use none"),
            ([MODEL, "--offload-states", "cpu"], "its stage"),
            ([MODEL, "--batch", "4000000", "--sequence", "4000000"], "tokens"),
            ([MODEL, "optim=lion"], "--optimizer")):
        done = program.run("plan", *arguments)
        error = done.stderr
        checks.that(done.returncode == 2 and words in error, f"plan {arguments}: {done.returncode}, {error.strip()}")
        checks.that(error.count("\n") == 1 and "\x1b" not in error, f"plan {arguments}: the error is no line")
        checks.equal(f"plan {arguments}: output", done.stdout, "")


def main():
    checks, program = harness.Checks(), harness.Program(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_contract(checks, program)
        check_curve(checks, program)
        check_inference(checks, program)
        check_exit_code(checks, program)
        check_answer(checks, program)
        check_division(checks, program)
        check_against(checks, program, sys.argv[2])
        check_output(checks, program)
        check_adapters(checks, program)
        check_rollout(checks, program)
        check_configurations(checks, program, folder)
        check_refusals(checks, program, folder)
    checks.finish()


main()
