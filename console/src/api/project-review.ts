/** In a project: shows the files that a change would write, before the change is sent. */
import type { MigrationRequest, PreviewRequest } from '@joinery/metadata/api/project';
import { changesSchema } from '@joinery/metadata/sql/undo';
import { parseExactly } from './exact-json.ts';
import { Failure } from './failure.ts';
import { canChangeMetadata } from './metadata-watch.ts';

/** Resolves to how the command becomes a migration. Throws Failure `canceled`. `args` is JSON text. */
export type Review = (
  type: string,
  args: string,
  suggested: MigrationRequest | undefined,
) => Promise<MigrationRequest | undefined>;

/** A command that waits for the user. */
export interface PendingReview {
  readonly request: PreviewRequest;
  /** Sends the command. */
  accept(migration: MigrationRequest | undefined): void;
  cancel(): void;
}

export interface ReviewDesk {
  readonly review: Review;
  current(): PendingReview | undefined;
  subscribe(notify: () => void): () => void;
  /** Whether changes of the metadata are shown before they are made; SQL that changes the schema always is. */
  showsMetadata(): boolean;
  showMetadata(shown: boolean): void;
}

const key = 'joinery.review-metadata';

export function createReviewDesk(store: Pick<Storage, 'getItem' | 'setItem'>): ReviewDesk {
  const waiting: PendingReview[] = [];
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const notify of listeners) notify();
  };
  const showsMetadata = (): boolean => store.getItem(key) === 'true';
  const pause = (request: PreviewRequest): Promise<MigrationRequest | undefined> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        waiting.splice(waiting.indexOf(pending), 1);
        settle();
        changed();
      };
      const pending: PendingReview = {
        request,
        accept: (migration) => end(() => resolve(migration)),
        cancel: () =>
          end(() =>
            reject(new Failure({ code: 'canceled', message: 'You canceled the change; nothing was changed.' })),
          ),
      };
      waiting.push(pending);
      changed();
    });
  return {
    review: async (type, args, suggested) => {
      if (!canChangeMetadata(type, args) && !/(?:^|_)run_sql$/.test(type)) return suggested;
      const request = { type, args: parseExactly(args), migration: suggested };
      if (!changesSchemaBy(request) && !(showsMetadata() && changesMetadata(request))) return suggested;
      return pause(request);
    },
    current: () => waiting[0],
    subscribe: (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    showsMetadata,
    showMetadata: (shown) => {
      store.setItem(key, String(shown));
      changed();
    },
  };
}

/** Whether SQL of the command changes the schema of a database. */
function changesSchemaBy({ type, args, migration }: PreviewRequest): boolean {
  if (Array.isArray(args)) return args.some((element: PreviewRequest) => changesSchemaBy(element));
  if (!/(?:^|_)run_sql$/.test(type)) return false;
  const { sql = '', read_only: isReadOnly } = args as { readonly sql?: string; readonly read_only?: boolean };
  return isReadOnly !== true && (migration?.write ?? changesSchema(sql));
}

function changesMetadata({ type, args }: PreviewRequest): boolean {
  if (Array.isArray(args)) return args.some((element: PreviewRequest) => changesMetadata(element));
  return !/(?:^|_)run_sql$|^reload_/.test(type) && canChangeMetadata(type);
}
