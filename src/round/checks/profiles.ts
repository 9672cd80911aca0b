import type { LoadedConfig } from '../../config/load.ts';
import { type Profile, profileFor } from '../../config/profile.ts';

/** A phase is checked by itself only where it brings an agent or a prompt of its own; each agent with its fallbacks (`:fallback1`). */
export function profilesToCheck({ config }: LoadedConfig): { label: string; profile: Profile }[] {
  const base = { label: '', profile: profileFor(config, null) };
  const own = config.phases.list
    .map((phase) => ({ label: `:${phase}`, profile: profileFor(config, phase) }))
    .filter(({ profile }) => profile.agent !== base.profile.agent || profile.prompt !== base.profile.prompt);
  return [base, ...own].flatMap((one) => [
    one,
    ...one.profile.agent.fallback.map((_, index) => ({
      label: `${one.label}:fallback${index + 1}`,
      profile: profileFor(config, one.profile.phase, index + 1),
    })),
  ]);
}
