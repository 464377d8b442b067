/** The tabs of the explorer, stored with each change. An operation of a link or of another page is opened once. */
import { useEffect, useMemo, useState } from 'react';
import { type Failure, toFailure } from '../../../api/failure.ts';
import { navigate, useLocation } from '../../../router/location.ts';
import { linkedOperation } from '../../../shared/graphql/explore-link.ts';
import { takeDraft } from '../../../shared/graphql/operation-draft.ts';
import { packedIn, unpackedOperation } from '../../../shared/graphql/shared-link.ts';
import {
  activeTab,
  changeTab,
  closeTab,
  openTab,
  reopenTab,
  storedTabs,
  storeTabs,
  type TabContent,
  type Tabs,
} from './tabs.ts';

export function useTabs() {
  const { search } = useLocation();
  const [tabs, setTabs] = useState(() => storedTabs(window.sessionStorage, window.localStorage));
  const [linkFailure, setLinkFailure] = useState<Failure>();
  useEffect(() => {
    const draft = takeDraft(window.sessionStorage);
    if (draft !== undefined) setTabs((before) => openTab(before, draft));
  }, []);
  useEffect(() => {
    const openLinked = (): void => {
      const { hash } = window.location;
      const packed = packedIn(hash);
      const linked = linkedOperation(hash, search);
      if (packed === undefined && linked === undefined) return;
      setLinkFailure(undefined);
      if (linked !== undefined) setTabs((before) => openTab(before, linked));
      else {
        unpackedOperation(packed ?? '').then(
          (operation) => setTabs((before) => openTab(before, operation)),
          (error: unknown) => setLinkFailure(toFailure(error)),
        );
      }
      navigate('/explore', { replace: true });
    };
    openLinked();
    window.addEventListener('hashchange', openLinked);
    return () => window.removeEventListener('hashchange', openLinked);
  }, [search]);
  useEffect(() => storeTabs(window.sessionStorage, window.localStorage, tabs), [tabs]);
  const actions = useMemo(() => {
    const apply = (next: (tabs: Tabs) => Tabs): void => setTabs(next);
    return {
      open: (content?: Partial<TabContent>) => apply((before) => openTab(before, content)),
      close: (id: string) => apply((before) => closeTab(before, id)),
      reopen: () => apply(reopenTab),
      activate: (active: string) => apply((before) => ({ ...before, active })),
      change: (changes: Partial<TabContent>) => apply((before) => changeTab(before, before.active, changes)),
    };
  }, []);
  return { tabs, tab: activeTab(tabs), linkFailure, dismissLink: () => setLinkFailure(undefined), ...actions };
}
