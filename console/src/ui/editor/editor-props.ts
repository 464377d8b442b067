/** What an editor is given. */
import type { GraphQLSchema } from 'graphql';

/** What is wrong with a part of a text: characters from `from` to before `to`. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** SDL is marked where it is wrong, and completed with the names of types. */
export interface SdlLanguage {
  readonly check: (text: string) => readonly Mark[];
  readonly names: readonly { readonly name: string; readonly kind: string }[];
}

/** GraphQL is completed and checked with its schema once that is known. */
export type Language =
  | 'json'
  | 'sql'
  | 'text'
  | { readonly schema: GraphQLSchema | undefined }
  | { readonly sdl: SdlLanguage };

export interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Ctrl or Cmd and Enter. */
  readonly onRun?: () => void;
  /** CSS length. */
  readonly height: string;
  /** The same object as long as it does not change: the editor is set up anew for another. */
  readonly language: Language;
}
