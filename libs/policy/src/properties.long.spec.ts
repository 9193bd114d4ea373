/** The slow properties of analysis and comparison with all of their runs; `npm test` tries a quarter. */
import './all-property-runs.fixture.js';
import './analysis/analysis-properties.spec.js';
import './analysis/diff-policies.spec.js';
