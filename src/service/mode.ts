/** How serve is run on this host. The systemd modes come with `install`. */
type ServiceMode = 'systemd_user' | 'systemd_system' | 'pid_file' | 'none';

/** `status --json`, and the first part of `service` in `peek --json`. */
export interface ServiceStatus {
  mode: ServiceMode;
  active: boolean;
  pid: number | null;
  uptime_s: number | null;
  unit_file: string | null;
  /** A system-wide unit that root manages serves this project. */
  system_managed: boolean;
}

/** Pure: with no unit, a pid file (also a stale one) is the mode, as in the predecessor. */
export function statusOf(hasPidFile: boolean, serve: { pid: number; create_time: number | null } | null, now: number): ServiceStatus {
  return {
    mode: hasPidFile ? 'pid_file' : 'none',
    active: serve !== null,
    pid: serve?.pid ?? null,
    uptime_s: serve?.create_time == null ? null : Math.max(0, Math.round(now / 1000 - serve.create_time)),
    unit_file: null,
    system_managed: false,
  };
}
