import { existsSync } from 'node:fs';
import type { Layout } from '../state/layout.ts';
import { type ServiceStatus, statusOf } from './mode.ts';
import { findServe } from './running.ts';

export async function serviceStatus(paths: Layout, now: number): Promise<ServiceStatus> {
  const serve = await findServe(paths);
  return statusOf(existsSync(paths.servePid), serve, now);
}
