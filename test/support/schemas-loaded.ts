import { afterAll } from 'vitest';
import { schemasLoaded } from '../../src/events/development.ts';

// Events are checked a moment later, when their schemas are there: no test file ends before.
afterAll(schemasLoaded);
