/** Imported before specs, it has their slow properties tried as often as they say. */
import { tryAllRuns } from './property-runs.fixture.js';

tryAllRuns();
