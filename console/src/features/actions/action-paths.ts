/** Paths of the page of an action. Pure. */

export const actionTabs = [
  ...(['definition', 'handler', 'permissions', 'relationships', 'run', 'runs', 'code'] as const),
];
export type ActionTab = (typeof actionTabs)[number];

/** The tabs share a path, so that drafts are not left by opening another tab. */
export function actionPath(name: string, tab: ActionTab = 'definition'): string {
  return `/actions/of/${encodeURIComponent(name)}${tab === 'definition' ? '' : `?tab=${tab}`}`;
}

export function isActionTab(text: string | null): text is ActionTab {
  return actionTabs.some((one) => one === text);
}
