// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/setting_handlers.h"
#include "core/config/settings.h"
#include "core/plan/rollout.h"

#include <charconv>
#include <cmath>

namespace tidemark::plan {
namespace {

// Names and defaults: verl/trainer/config of veRL 0.9.1, rollout/rollout.yaml
// (gpu_memory_utilization 0.5, tensor_model_parallel_size 2, free_cache_engine true, n 1,
// prompt_length and response_length 512), model/hf_model.yaml (enable_gradient_checkpointing true),
// engine/fsdp.yaml (model_dtype fp32, dtype bfloat16) and reward/reward.yaml (enable false,
// enable_resource_pool false, a rollout engine of its own with half of the card);
// trl/trainer/grpo_config.py of TRL 1.16 (vllm_mode colocate, vllm_gpu_memory_utilization 0.3,
// vllm_enable_sleep_mode false, num_generations 8, beta 0).
constexpr double kVerlShare = 0.5;
constexpr double kTrlShare = 0.3;
constexpr std::int64_t kTrlAnswers = 8;
constexpr std::int64_t kVerlEngineGpus = 2;
constexpr std::int64_t kVerlTokens = 512; ///< Of prompt and response each.

std::optional<double> numberIn(const std::string& text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// What the settings say, and whether an engine is there at all.
class RolloutReader {
public:
    void read(const config::Setting& setting)
    {
        const std::string& path = setting.path;
        const auto ends = [&](std::string_view name) {
            return path == name
                || (path.ends_with(name) && path[path.size() - name.size() - 1] == '.');
        };
        m_taken = true;
        if (path.find("reward_model") != std::string::npos) {
            readReward(setting, ends);
        } else if (ends("rollout.gpu_memory_utilization")) {
            m_is_verl = share(setting.value);
        } else if (ends("vllm_gpu_memory_utilization")) {
            m_has_trl_share = share(setting.value);
        } else if (ends("vllm_mode")) {
            m_is_colocated = setting.value != "server";
        } else if (ends("use_vllm")) {
            m_uses_vllm = config::isTrue(setting.value);
        } else if (ends("rollout.name")) {
            m_names_engine = setting.value == "vllm" || setting.value == "sglang";
        } else if (ends("rollout.free_cache_engine")) {
            m_setup.engine_sleeps = !config::isFalse(setting.value);
            m_says_sleep = true;
        } else if (ends("vllm_enable_sleep_mode")) {
            m_setup.engine_sleeps = config::isTrue(setting.value);
            m_says_sleep = true;
        } else if (ends("rollout.tensor_model_parallel_size")
                   || ends("vllm_tensor_parallel_size")) {
            count(setting.value, m_setup.engine_gpus);
            m_says_engine_gpus = true;
        } else if (ends("rollout.n") || ends("num_generations")) {
            count(setting.value, m_setup.answers);
            m_says_answers = true;
        } else if (ends("max_prompt_length")) {
            count(setting.value, m_setup.prompt);
        } else if (ends("max_response_length") || ends("max_completion_length")) {
            count(setting.value, m_setup.response);
        } else if (ends("log_prob_micro_batch_size_per_gpu")) {
            std::int64_t batch = 0;
            count(setting.value, batch);
            if (batch > 0) {
                m_setup.scoring_batch = batch;
            }
        } else if (ends("ref.fsdp_config.param_offload")) {
            m_setup.has_reference = true;
            m_setup.offloads_reference = config::isTrue(setting.value);
        } else if (ends("actor.fsdp_config.param_offload")) {
            m_setup.offloads_weights = config::isTrue(setting.value);
        } else if (ends("actor.fsdp_config.optimizer_offload")) {
            m_setup.offloads_states = config::isTrue(setting.value);
        } else if (ends("actor.use_kl_loss") || ends("use_kl_in_reward")) {
            m_setup.has_reference = m_setup.has_reference || config::isTrue(setting.value);
        } else if (ends("model.enable_gradient_checkpointing")) {
            m_setup.says_checkpointing = true;
        } else if (ends("adv_estimator")) {
            m_setup.has_critic = setting.value == "gae";
        } else if (ends("critic.enable")) {
            m_setup.has_critic = config::isTrue(setting.value);
        } else if (ends("beta")) {
            m_beta = numberIn(setting.value);
            m_taken = m_beta.has_value();
        } else {
            m_taken = false;
        }
        if (m_taken) {
            m_setup.from.push_back(path + "=" + setting.value);
        }
    }

    std::optional<RolloutSetup> setup() &&
    {
        const bool is_verl = m_is_verl || m_names_engine;
        // TRL's engine is in the trainer's own process unless it is said to be a server.
        const bool is_trl = !is_verl && m_is_colocated && m_uses_vllm;
        if (!is_verl && !is_trl) {
            return std::nullopt;
        }
        if (is_verl ? !m_is_verl : !m_has_trl_share) {
            m_setup.engine_share = is_verl ? kVerlShare : kTrlShare;
        }
        m_setup.is_verl = is_verl;
        if (is_verl) {
            fillInVerl();
        }
        if (is_trl) {
            m_setup.engine_sleeps = m_says_sleep && m_setup.engine_sleeps;
            m_setup.answers = m_says_answers ? m_setup.answers : kTrlAnswers;
            m_setup.has_reference = m_beta && *m_beta > 0;
            if (!m_reward.name.empty()) {
                m_setup.reward = m_reward;
            }
        }
        return std::move(m_setup);
    }

private:
    template <class Ends>
    void readReward(const config::Setting& setting, const Ends& ends)
    {
        if (ends("reward_model.enable")) {
            m_uses_reward = config::isTrue(setting.value);
        } else if (ends("reward_model.enable_resource_pool")) {
            m_reward_is_elsewhere = config::isTrue(setting.value);
        } else if (ends("rollout.gpu_memory_utilization")) {
            const auto value = numberIn(setting.value);
            m_taken = value && *value > 0 && *value <= 1;
            m_reward_share = m_taken ? value : std::nullopt;
        } else if (ends("rollout.free_cache_engine")) {
            m_reward.engine_sleeps = !config::isFalse(setting.value);
        } else if (ends("model_path") || ends("model.path") || ends("reward_model_name_or_path")
                   || ends("reward_model_path")) {
            m_reward.name = setting.value;
        } else {
            m_taken = false;
        }
    }
    void fillInVerl()
    {
        if (!m_says_engine_gpus) {
            m_setup.engine_gpus = kVerlEngineGpus;
        }
        for (std::int64_t* const tokens : {&m_setup.prompt, &m_setup.response}) {
            *tokens = *tokens > 0 ? *tokens : kVerlTokens;
        }
        if (m_uses_reward && !m_reward_is_elsewhere) {
            m_setup.reward = m_reward;
            m_setup.reward->engine_share = m_reward_share.value_or(kVerlShare);
        }
    }
    bool share(const std::string& text)
    {
        const auto value = numberIn(text);
        m_taken = value && *value > 0 && *value <= 1;
        if (m_taken) {
            m_setup.engine_share = *value;
        }
        return m_taken;
    }
    void count(const std::string& text, std::int64_t& number)
    {
        const auto value = config::wholeNumber(text);
        m_taken = value.has_value();
        number = value.value_or(static_cast<int>(number));
    }

    RolloutSetup m_setup;
    std::optional<double> m_beta; ///< TRL's weight of the reference; 0: it has none.
    bool m_taken = false;
    bool m_is_verl = false;
    bool m_has_trl_share = false;
    bool m_is_colocated = true;
    bool m_uses_vllm = false;
    bool m_names_engine = false;
    bool m_says_sleep = false;
    bool m_says_answers = false;
    bool m_says_engine_gpus = false;
    RewardModel m_reward;
    std::optional<double> m_reward_share;
    bool m_uses_reward = false; ///< veRL's.
    bool m_reward_is_elsewhere = false; ///< On GPUs of its own.
};

} // namespace

std::optional<RolloutSetup> readRollout(std::span<const std::string> texts)
{
    RolloutReader reader;
    for (const std::string& text : texts) {
        const auto settings = config::readSettings(text);
        if (!settings.has_value()) {
            continue;
        }
        for (const config::Setting& setting : settings.value().all) {
            reader.read(setting);
        }
    }
    return std::move(reader).setup();
}

} // namespace tidemark::plan
