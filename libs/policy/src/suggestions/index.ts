/** Suggestions of grants for "always allow". */
export { grantPatternProblem } from './check-grant-pattern.js';
export { suggestGrants } from './suggest-grants.js';
export {
  SUGGESTION_STEPS,
  type Preview,
  type PreviewedCall,
  type Suggestion,
  type SuggestionStep,
} from './suggestion.js';
