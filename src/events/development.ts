import type { EventKind } from './catalogue.ts';

type Check = (kind: EventKind, fields: unknown) => void;

let pending: Promise<unknown> = Promise.resolve();

/** Resolves when the schemas are loaded, should somebody have asked for them: a test that ends before would break off the loading. */
export function schemasLoaded(): Promise<unknown> {
  return pending;
}

/**
 * In tests (vitest) and with AGENT_RUNNER_VALIDATE=1 every event is checked against its schema; a wrong one ends the program loudly,
 * but a moment later, because the schemas are loaded lazily. Otherwise nothing is loaded and nothing checked.
 */
export function checkInDevelopment(env: NodeJS.ProcessEnv = process.env): Check | null {
  if (env.AGENT_RUNNER_VALIDATE !== '1' && env.VITEST !== 'true') return null;
  const schemas = import('./validate.ts');
  pending = schemas;
  return (kind, fields) => {
    void schemas.then(({ eventProblem }) => {
      const problem = eventProblem(kind, fields);
      if (problem !== null) throw new TypeError(problem);
    });
  };
}
