/** Imports of other agents' permission files. */
export {
  CLAUDE_LAYERS,
  importClaudeSettings,
  type ClaudeImportOptions,
  type ClaudeLayer,
  type ClaudeSettingsFile,
} from './claude-settings.js';
export { importCodexRules } from './codex-rules.js';
export { GEMINI_TIERS, importGeminiPolicy, type GeminiPolicyFile } from './gemini-policy.js';
export { importOpenCodePermissions } from './opencode-permissions.js';
export { GEMINI_TOOLS, OPENCODE_TOOLS } from './names.js';
export type { ImportFile, ImportReport, ImportResult, MappedItem, UnmappedItem } from './import-report.js';
