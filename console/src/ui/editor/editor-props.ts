/** Props of the editor. */
import type { Extension } from '@uiw/react-codemirror';
import type { GraphQLSchema } from 'graphql';

/** An error in a range of the text, from `from` to before `to`. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** SDL with error marks and completion of type names. */
export interface SdlLanguage {
  readonly check: (text: string) => readonly Mark[];
  readonly names: readonly { readonly name: string; readonly kind: string }[];
}

/** GraphQL is completed and validated once the schema is loaded. */
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
  /** Called on Ctrl+Enter or Cmd+Enter. */
  readonly onRun?: () => void;
  /** A CSS length. */
  readonly height: string;
  /** Fills its container, without a border and without a visible label. */
  readonly fill?: true;
  /** Must be stable: another value reconfigures the editor. */
  readonly extensions?: Extension;
  /** Must be stable: another object reconfigures the editor. */
  readonly language: Language;
  /** Errors to mark, in addition to those that the language finds. Must be stable. */
  readonly marks?: readonly Mark[];
}
