/** A file of the user that is written in parts: on the disk where the browser permits it, else as a download at the end. */
import { download } from '../../../ui/download.ts';

interface OpenFile {
  readonly write: (text: string) => Promise<void>;
  /** Completes the file. Until then the user has none. */
  readonly close: () => Promise<void>;
  /** Discards what was written. */
  readonly discard: () => Promise<void>;
}

interface FileName {
  readonly name: string;
  readonly ending: string;
  readonly type: string;
}

/** Members of the File System Access API that the TypeScript library does not declare. */
interface PickingWindow {
  readonly showSaveFilePicker?: (options: {
    readonly suggestedName: string;
    readonly types: readonly { readonly accept: Readonly<Record<string, readonly string[]>> }[];
  }) => Promise<FileSystemFileHandle>;
}

/** Returns undefined when the user has canceled. Called at a click, which the browser requires. */
export async function openFile({ name, ending, type }: FileName): Promise<OpenFile | undefined> {
  const { showSaveFilePicker } = window as PickingWindow;
  if (showSaveFilePicker === undefined) return downloadedFile(name, type);
  try {
    const accept = { [type]: [`.${ending}`] };
    const handle = await showSaveFilePicker.call(window, { suggestedName: name, types: [{ accept }] });
    const stream = await handle.createWritable();
    return {
      write: (text) => stream.write(text),
      close: () => stream.close(),
      discard: () => stream.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** Parts are blobs, which the browser can store outside of the memory of the page. */
function downloadedFile(name: string, type: string): OpenFile {
  let parts: Blob[] = [];
  return {
    write: async (text) => {
      parts.push(new Blob([text]));
    },
    close: async () => download(name, new Blob(parts, { type })),
    discard: async () => {
      parts = [];
    },
  };
}
