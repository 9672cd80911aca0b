import { RunnerError } from '../../util/errors.ts';
import { isPresetName, PRESET_NAMES, type PresetName } from '../preset.ts';
import { nearest } from '../suggest.ts';
import { DETECTION_ORDER, type FoundAgent } from './detect.ts';

export interface PresetWish {
  preset: string | null;
  detect: boolean;
  /** Somebody sits there: then looking around is the default. */
  terminal: boolean;
}

/** Which preset to write. `found`: what is installed; null in the answer when nobody looked. Throws AR-INI-003, AR-INI-006, AR-CFG-022. */
export function choosePreset(
  { preset, detect, terminal }: PresetWish,
  found: () => FoundAgent[],
): { preset: PresetName; detected: FoundAgent[] | null } {
  if (preset !== null && detect) {
    throw new RunnerError({
      code: 'AR-INI-006',
      message: '--preset and --detect were both given',
      remedy: 'Keep one: --preset names the agent, --detect looks for it',
      exit: 'usage',
    });
  }
  if (preset !== null) return { preset: known(preset), detected: null };
  if (!detect && !terminal) return { preset: 'claude', detected: null };
  const detected = found();
  const [first] = detected;
  if (first !== undefined) return { preset: first.preset, detected };
  throw new RunnerError({
    code: 'AR-INI-003',
    message: `no agent CLI was found on PATH (looked for ${DETECTION_ORDER.join(', ')})`,
    remedy: 'install one, or try the bundled scripted agent: agent-runner init --preset demo',
  });
}

function known(name: string): PresetName {
  if (isPresetName(name)) return name;
  const near = nearest(name, PRESET_NAMES);
  throw new RunnerError({
    code: 'AR-CFG-022',
    message: `there is no preset '${name}'`,
    remedy: near === null ? `Presets: ${PRESET_NAMES.join(', ')}` : `Did you mean '${near}'?`,
    exit: 'usage',
  });
}
