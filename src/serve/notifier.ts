/** What serve tells the service manager that started it. No call waits, none fails. */
export interface Notifier {
  /** The start is over: the checks have passed, rounds may begin. */
  ready(): void;
  /**
   * The loop has come to a new step, and the next one comes within `withinMs` if all is well. This alone keeps the watchdog quiet: a loop
   * that hangs in a promise which never settles is as dead as a frozen process, though its timers still run.
   */
  step(withinMs: number): void;
  /** A changed configuration is in force. */
  reloaded(): void;
  /** No further round will start. */
  stopping(): void;
  /** Nothing more is said; resolves when the last word has arrived, within a few seconds. */
  close(): Promise<void>;
}

/** Started by hand, by nohup, by a container engine: there is nobody to tell. */
export const NOBODY: Notifier = { ready() {}, step() {}, reloaded() {}, stopping() {}, close: async () => {} };
