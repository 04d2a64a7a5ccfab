# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Inside the Hugging Face Trainer."""

import contextlib
import gc
import os
import weakref

import torch
from device import MIB
from trials import BATCH, llama, tokens, trial


def trainer(t, model=None, steps=3, batch=BATCH, accumulation=1, evaluated=0, callbacks=None, save="no", **settings):
    import transformers
    arguments = transformers.TrainingArguments(
        os.path.dirname(t.path), per_device_train_batch_size=batch, per_device_eval_batch_size=BATCH, report_to=[],
        gradient_accumulation_steps=accumulation, max_steps=steps, save_strategy=save, logging_steps=1000,
        disable_tqdm=True, use_cpu=True, dataloader_pin_memory=False, eval_strategy="steps" if evaluated else "no",
        eval_steps=evaluated or None, **settings)
    if callbacks is None:
        callbacks = [t.capture.HuggingFaceCallback(t.path)]
    return transformers.Trainer(
        model=model or llama(t), args=arguments, train_dataset=tokens(t, batch * accumulation * steps),
        eval_dataset=tokens(t, 2 * BATCH) if evaluated else None, callbacks=callbacks)


@trial(steps=3)
def trainer_plain(t):
    trainer(t).train()


@trial(steps=4, kinds={"backward_begin": 8, "evaluation": 4})
def trainer_accumulates_and_evaluates(t):
    trainer(t, steps=4, accumulation=2, evaluated=2).train()


@trial(steps=3, share=0.97)
def trainer_checkpointing(t):
    trainer(t, gradient_checkpointing=True, gradient_checkpointing_kwargs={"use_reentrant": False}).train()


@trial(steps=3)
def trainer_bf16(t):
    trainer(t, bf16=True).train()


@trial(steps=3)
def trainer_lora(t):
    import peft
    model = peft.get_peft_model(llama(t), peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))
    t.truth.watch(model)
    trainer(t, model).train()


@trial(steps=2, settings={"optimizers": "Adafactor"})
def trainer_adafactor(t):
    trainer(t, steps=2, optim="adafactor").train()


@trial(steps=2, share=0.98)
def trainer_compiled(t):
    """An activation of the pass that compiles lives on in a cycle of torch's until garbage is collected, as a buffer would."""
    t.truth.hears_modules = False
    trainer(t, steps=2, torch_compile=True, torch_compile_backend="aot_eager").train()


@trial(steps=2, settings={"optimizers": "SGD"}, state=False)
def trainer_sgd_handed_in(t):
    import transformers
    model = llama(t)
    made = trainer(t, model, steps=2)
    made.optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    made.lr_scheduler = transformers.get_constant_schedule(made.optimizer)
    made.train()


@trial(steps=2)
def trainer_callback_added_later(t):
    made = trainer(t, steps=2, callbacks=[])
    made.add_callback(t.capture.HuggingFaceCallback(t.path))
    made.train()


@trial(steps=0, state=False, capacity=24 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError")
def trainer_out_of_memory(t):
    with contextlib.suppress(torch.OutOfMemoryError):
        trainer(t, llama(t, width=96, layers=4), batch=24).train()


@trial(steps=0, capacity=16 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError", kinds={"backward_end": 1})
def trainer_out_of_memory_in_the_first_step(t):
    with contextlib.suppress(torch.OutOfMemoryError):
        trainer(t, llama(t, width=160, layers=4), batch=1).train()


@trial(steps=2, files=("run.pickle",))
def trainer_finds_its_batch_size(t):
    """The first try dies inside Trainer.train, which goes on with a smaller batch: one recording of both."""
    made, tries = trainer(t, steps=2, auto_find_batch_size=True), []
    step = made.training_step

    def training_step(*arguments, **settings):
        tries.append(made._train_batch_size)
        if len(tries) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory. As the library looks for it.")
        return step(*arguments, **settings)

    made.training_step = training_step
    made.train()
    assert tries[0] > tries[1]


@trial(steps=2, kinds={"evaluation": 4})
def trainer_resumed(t):
    """State comes from a checkpoint, and evaluation before the first step."""
    model, folder = llama(t), os.path.dirname(t.path)
    saved = trainer(t, model, steps=2, callbacks=[], save="steps", save_steps=2)
    saved.train()
    resumed = trainer(t, model, steps=4, evaluated=100, eval_on_start=True)
    resumed.train(resume_from_checkpoint=os.path.join(folder, "checkpoint-2"))


@trial(steps=2, reason="exception", error="ZeroDivisionError")
def trainer_dies_of_the_programs_error(t):
    import transformers

    class Dies(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            if state.global_step == 2:
                return 1 // 0

    with contextlib.suppress(ZeroDivisionError):
        trainer(t, callbacks=[t.capture.HuggingFaceCallback(t.path), Dies()]).train()


@trial(steps=2)
def trainer_tried_again(t):
    """As in a notebook: the first try dies, the second on the same trainer is recorded from its beginning."""
    made = trainer(t, steps=2)
    step, made.training_step = made.training_step, lambda *_: 1 // 0
    with contextlib.suppress(ZeroDivisionError):
        made.train()
    made.training_step = step
    made.train()


@trial(steps=0, state=False, capacity=24 * MIB, files=("run.oom.pickle", "run.pickle"), reason="exception",
       error="OutOfMemoryError")
def trainer_that_died_is_let_go(t):
    """Caught by the program, which drops it and has all memory back; the callback is still there."""
    callback = t.capture.HuggingFaceCallback(t.path)

    def dies():
        made = trainer(t, llama(t, width=96, layers=4), batch=24, callbacks=[callback])
        with contextlib.suppress(torch.OutOfMemoryError):
            made.train()
        made.accelerator.free_memory()
        return weakref.ref(made.model)

    model = dies()
    gc.collect()
    assert model() is None
    assert sum(size for _, size, _ in t.device.live.values()) < 10_000
