/** Editor extensions that report the caret and give access to the editor. */
import { EditorView, type Extension, ViewPlugin } from '@uiw/react-codemirror';
import type { RefObject } from 'react';

/** Sets `view` while the editor is shown. */
export function viewExtension(view: RefObject<EditorView | undefined>): Extension {
  return ViewPlugin.define((created) => {
    view.current = created;
    return {
      destroy: () => {
        if (view.current === created) view.current = undefined;
      },
    };
  });
}

/** Sets `view` while the editor is shown, and calls `onMove` with the offset of the caret. */
export function caretExtension(view: RefObject<EditorView | undefined>, onMove: (offset: number) => void): Extension {
  return [
    viewExtension(view),
    EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
      if (selectionSet || docChanged) onMove(state.selection.main.head);
    }),
  ];
}

/** Moves the caret and the focus to an offset. */
export function moveCaret(view: EditorView | undefined, offset: number): void {
  if (view === undefined) return;
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  view.focus();
}
