/** Tools: what they do, what their arguments say, and how calls of them may run. */
export {
  ANY_MCP_TOOL,
  keyArgument,
  toolEntry,
  type ArgumentPlace,
  type ConcurrencyRule,
  type InterruptBehaviour,
  type PatchArgument,
  type PathArgument,
  type PatternArgument,
  type ToolEntry,
  type ToolFamily,
  type ToolManifest,
  type ToolObligations,
} from './manifest.js';
export { checkSchema, type JsonSchema, type JsonSchemaObject, type SchemaProblem } from './json-schema.js';
export { describeProblem, validateArguments } from './validate-arguments.js';
export { holds, type ArgumentPredicate, type PredicateValue } from './predicate.js';
export { readPatchPaths, type PatchAction, type PatchFile, type PatchReading } from './patch-paths.js';
export { readArguments, type NamedAddress, type NamedFile, type NamedThings } from './read-arguments.js';
export { fileSizeProblem } from './file-size.js';
export { traitsOf, type ToolTraits } from './traits.js';
export { partitionBatch, siblingsToStop, type BatchCall, type CallBatch } from './partition-batch.js';
export { restrictTools, type Restriction, type UnknownTool } from './restrict-tools.js';
export { buildManifest, toolInputSchema, toolManifestSchema, type ToolInput } from './manifest-document.js';
export { lintManifest, validateManifest, type ManifestFinding, type ManifestResult } from './validate-manifest.js';
export { AGENT_MANIFESTS, ALL_AGENT_TOOLS, mergeManifests, type MergedManifest } from './merge-manifests.js';
export { ASTRO_RESEARCH_TOOLS } from './astro-research.js';
export { CLAUDE_CODE_TOOLS } from './claude-code.js';
export { CODING_AGENT_TOOLS } from './coding-agent.js';
export { GOVERNED_RUNNER_TOOLS } from './governed-runner.js';
export { obligationsOf, type CallObligations } from './obligations.js';
