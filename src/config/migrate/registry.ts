import type { Transform } from './transform.ts';
import { bareStrings } from './transforms/bare-strings.ts';
import { thresholdGroups, thresholdsWithout } from './transforms/host-health.ts';
import { goalTable, pluginSettings } from './transforms/removed-tables.ts';
import { orphanAction, rateLimitAction } from './transforms/renamed-keys.ts';
import { phaseTwins, timeoutPerPhase, twoWalls } from './transforms/round-wall.ts';
import { stampVersion } from './transforms/schema-version.ts';
import { containerPrefix, type StartChecks } from './transforms/start-checks.ts';
import { TOLD } from './transforms/told.ts';

/** Every transform, in the order in which they are asked: a specific one before one that tells of the same key in general words. */
export function transforms(checks: StartChecks): readonly Transform[] {
  return [
    bareStrings,
    timeoutPerPhase,
    orphanAction,
    rateLimitAction,
    thresholdsWithout,
    thresholdGroups,
    goalTable,
    stampVersion,
    twoWalls,
    phaseTwins,
    containerPrefix(checks),
    pluginSettings,
    ...TOLD,
  ];
}
