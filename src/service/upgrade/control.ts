/** The service manager's hold on `serve`, as far as an upgrade needs it. */
export interface ServiceControl {
  /** For people: `systemctl --user restart agent-runner@x`. */
  restartCommand: string;
  isActive(): Promise<boolean>;
  /** Resolves when `serve` is down, its round drained; rejects when it still runs after its stop budget. */
  stop(): Promise<void>;
  /** Resolves when it is up; rejects when it does not come up. */
  start(): Promise<void>;
}
