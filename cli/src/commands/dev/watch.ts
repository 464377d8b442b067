/** Watches folders and reports changed files after a quiet period. */
import { existsSync, type FSWatcher, watch } from 'node:fs';

/** Quiet period in milliseconds, because editors write a file in several steps. */
const settleMs = 150;

export interface Watched {
  /** Missing folders are ignored. */
  readonly folders: readonly string[];
  /** Called with the changed paths, relative to their folder, never concurrently. Must handle its own errors. */
  readonly onChange: (paths: readonly string[]) => Promise<void>;
}

/** Returns a function that stops watching. */
export function watchFolders({ folders, onChange }: Watched): () => void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const settle = (): void => {
    const paths = [...changed];
    changed.clear();
    running = running.then(() => onChange(paths));
  };
  const note = (path: string | null): void => {
    // Temporary files of editors.
    if (path === null || /(^|[\\/])(\.|#)|[~]$|\.sw[a-z]$/.test(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(settle, settleMs);
  };
  const watchers: FSWatcher[] = folders
    .filter((folder) => existsSync(folder))
    .map((folder) => {
      const watcher = watch(folder, { recursive: true }, (_kind, path) => note(path));
      // The folder was removed.
      watcher.on('error', () => watcher.close());
      return watcher;
    });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
