/** One timer for all tasks of a process that run each second, so that an idle process wakes once for all of them. */

const tasks = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/** Runs a task each second until the returned function is called. Does not keep the process alive. */
export function everySecond(task: () => void): () => void {
  // Two registrations of one function are two tasks.
  const own = (): void => task();
  tasks.add(own);
  timer ??= setInterval(runAll, 1_000).unref();
  return () => {
    tasks.delete(own);
    if (tasks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function runAll(): void {
  for (const task of [...tasks]) task();
}
