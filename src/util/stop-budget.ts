/** The ladder, a commit with its hooks, and the user's hooks: what the predecessor grants a round beyond its own wall (5 + 120 + 60 s). */
const BEYOND_THE_WALL_MS = 185_000;

/**
 * The longest that a round may take with all that ends and tidies it, from its own wall (ms). One function for whoever waits for a
 * round: the supervisor that forces its end, `peek` that calls it overdue, and a service manager that stops both.
 */
export function outerCeilingMs(budgetMs: number): number {
  return budgetMs + BEYOND_THE_WALL_MS;
}
