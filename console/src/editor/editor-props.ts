/** What an editor is given. */
import type { GraphQLSchema } from 'graphql';

/** GraphQL is completed and checked with its schema once that is known. */
export type Language = 'json' | 'sql' | { readonly schema: GraphQLSchema | undefined };

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
