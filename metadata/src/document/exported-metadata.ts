/** The type of exported metadata: the JSON that `export_metadata` returns and `replace_metadata` accepts. */
import type { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import type { QualifiedTable } from '../names.ts';
import type { RelationshipUsing } from '../schema/relationships.ts';
import type { SourceInput } from '../schema/sources.ts';

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

type WrittenName = z.input<typeof QualifiedTable>;

/** Whether `T` is the input of `QualifiedTable`, and not an object that only has the same members. */
type IsWrittenName<T> = [T, WrittenName] extends [WrittenName, T] ? true : false;

type KnownKeys<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/**
 * `T`, the input of a schema, as exports write it: read-only, and with schema and name for every table and function.
 * Unknown members of closed objects are not part of the type.
 */
type Exported<T> =
  IsWrittenName<NonNullable<T>> extends true
    ? QualifiedName | Extract<T, null | undefined>
    : T extends readonly (infer Element)[]
      ? readonly Exported<Element>[]
      : T extends object
        ? [KnownKeys<T>] extends [never]
          ? { readonly [Key in keyof T]: Exported<T[Key]> }
          : { readonly [Key in keyof T as string extends Key ? never : Key]: Exported<T[Key]> }
        : T;

export type ExportedMetadata = Omit<Exported<z.input<typeof Metadata>>, 'sources'> & {
  readonly sources: readonly ExportedSource[];
};
export type ExportedSource = Exported<SourceInput>;
export type ExportedRelationshipUsing = Exported<z.input<typeof RelationshipUsing>>;
