/** Tells when files below folders have changed, once things have settled. */
import { existsSync, type FSWatcher, watch } from 'node:fs';

/** Milliseconds without another change: editors write a file in several steps. */
const settleMs = 150;

export interface Watched {
  /** Folders that are not there are left out. */
  readonly folders: readonly string[];
  /** The changed paths, relative to their folder. Runs one after the other; what it throws is its own to tell. */
  readonly onChange: (paths: readonly string[]) => Promise<void>;
}

/** The function ends it. */
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
    // Files that editors keep beside those they write.
    if (path === null || /(^|[\\/])(\.|#)|[~]$|\.sw[a-z]$/.test(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(settle, settleMs);
  };
  const watchers: FSWatcher[] = folders
    .filter((folder) => existsSync(folder))
    .map((folder) => {
      const watcher = watch(folder, { recursive: true }, (_kind, path) => note(path));
      // A folder that was removed: nothing more to tell of it.
      watcher.on('error', () => watcher.close());
      return watcher;
    });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
