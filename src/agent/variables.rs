//! Which environment variables are an agent's own: the person's keys, folders and settings for it.
//!
//! Left out is what a running session leaves to its children: with it an agent refuses to start inside of
//! itself (`CLAUDECODE`), keeps no record (`CLAUDE_CODE_CHILD_SESSION`) or takes itself for that session.

use crate::model::VariableNames;

/// Claude Code, at Anthropic's own service or through Bedrock, Vertex or Foundry.
pub(super) const CLAUDE: VariableNames = VariableNames {
    allowed: &[
        "ANTHROPIC_*",
        "CLAUDE_*",
        // Other providers.
        "AWS_*",
        "AZURE_*",
        "CLOUDSDK_*",
        "CLOUD_ML_REGION",
        "GCLOUD_PROJECT",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_*",
        "VERTEX_REGION_*",
        // What the person turned off: telemetry, updates, reports.
        "DISABLE_*",
        "API_TIMEOUT_MS",
        "BASH_DEFAULT_TIMEOUT_MS",
        "BASH_MAX_*",
        "ENABLE_TOOL_SEARCH",
        "MAX_MCP_OUTPUT_TOKENS",
        "MAX_THINKING_TOKENS",
        "MCP_TIMEOUT",
        "MCP_TOOL_TIMEOUT",
    ],
    except: &[
        "*_FILE_DESCRIPTOR",
        "CLAUDE_AGENT_SDK_*",
        "CLAUDE_BG_*",
        "CLAUDE_CODE_AGENT_*",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_MESSAGING_*",
        "CLAUDE_CODE_PARENT_*",
        "CLAUDE_CODE_REMOTE*",
        "CLAUDE_CODE_SESSION_*",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_CODE_TEAM_*",
        "CLAUDE_EFFORT",
        "CLAUDE_ENV_FILE",
        "CLAUDE_JOB_*",
        "CLAUDE_PID",
        "CLAUDE_PLUGIN_*",
        "CLAUDE_PROJECT_DIR",
    ],
};

/// Codex. The key of a provider has the name that the person's configuration gives it (`env_key`).
pub(super) const CODEX: VariableNames = VariableNames {
    allowed: &["CODEX_*", "OPENAI_*", "*_API_KEY", "AWS_*", "AZURE_*"],
    except: &["CODEX_CI", "CODEX_INTERNAL_*", "CODEX_MANAGED_BY_*", "CODEX_SANDBOX*", "CODEX_THREAD_ID"],
};

/// opencode, which takes the keys of many providers from the environment.
pub(super) const OPENCODE: VariableNames = VariableNames {
    allowed: &[
        "OPENCODE_*",
        "*_API_KEY",
        "*_API_TOKEN",
        "ANTHROPIC_*",
        "AWS_*",
        "AZURE_*",
        "CLOUDFLARE_*",
        "GITHUB_TOKEN",
        "GITLAB_TOKEN",
        "GOOGLE_*",
        "HF_TOKEN",
        "OLLAMA_*",
        "OPENAI_*",
        "VERTEX_*",
    ],
    except: &[
        "OPENCODE_CALLER",
        "OPENCODE_CLIENT",
        "OPENCODE_PID",
        "OPENCODE_PORT",
        "OPENCODE_PROCESS_ROLE",
        "OPENCODE_RUN_ID",
        "OPENCODE_SESSION_ID",
    ],
};

/// Gemini CLI.
pub(super) const GEMINI: VariableNames = VariableNames {
    allowed: &["GEMINI_*", "GOOGLE_*", "CLOUDSDK_*"],
    except: &["GEMINI_CLI", "GEMINI_CLI_IDE_*", "GEMINI_CWD", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"],
};

/// An agent that the person described: the usual names of keys and of services.
pub(super) const CUSTOM: VariableNames = VariableNames {
    allowed: &[
        "*_API_BASE",
        "*_API_KEY",
        "*_API_TOKEN",
        "*_BASE_URL",
        "AIDER_*",
        "ANTHROPIC_*",
        "AWS_*",
        "AZURE_*",
        "GITHUB_TOKEN",
        "GOOGLE_*",
        "GOOSE_*",
        "HF_TOKEN",
        "OLLAMA_*",
        "OPENAI_*",
    ],
    except: &[],
};
