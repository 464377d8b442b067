/** Editor extension that shows the documentation of the name under the mouse. */
import { EditorView, type Extension, hoverTooltip } from '@uiw/react-codemirror';
import type { GraphQLSchema } from 'graphql';
import type { DocPlace } from '../docs/search-index.ts';
import { type Described, describedAt } from './described.ts';

/** `classes` are those of the tooltip and its parts. */
interface HoverOptions {
  readonly schema: GraphQLSchema;
  readonly classes: Readonly<Record<string, string | undefined>>;
  /** Returns the text of the variables editor. */
  readonly variables: () => string;
  readonly onDocs: (place: DocPlace) => void;
}

export function hoverDocs({ schema, classes, variables, onDocs }: HoverOptions): Extension {
  const describedIn = (view: EditorView, offset: number): Described | undefined =>
    describedAt(view.state.doc.toString(), offset, { schema, variables: variables() });
  return [
    hoverTooltip((view, offset) => {
      const described = describedIn(view, offset);
      if (described === undefined) return null;
      return {
        pos: described.from,
        end: described.to,
        above: true,
        create: () => ({ dom: tooltip(described, classes, onDocs) }),
      };
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        if (!event.ctrlKey && !event.metaKey) return false;
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const described = offset === null ? undefined : describedIn(view, offset);
        if (described?.place === undefined) return false;
        onDocs(described.place);
        return true;
      },
    }),
  ];
}

function tooltip(described: Described, classes: HoverOptions['classes'], onDocs: HoverOptions['onDocs']): HTMLElement {
  const box = document.createElement('div');
  box.className = classes.hover ?? '';
  const signature = document.createElement('div');
  signature.className = classes.signature ?? '';
  signature.textContent = described.signature;
  box.append(signature);
  for (const paragraph of described.about) {
    const about = document.createElement('div');
    about.textContent = paragraph;
    box.append(about);
  }
  const { place } = described;
  if (place === undefined) return box;
  const link = document.createElement('button');
  link.type = 'button';
  link.className = classes.link ?? '';
  link.textContent = 'Open in docs';
  link.addEventListener('click', () => onDocs(place));
  box.append(link);
  return box;
}
