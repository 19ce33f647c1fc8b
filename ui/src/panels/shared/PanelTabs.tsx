/** The views of a panel: the one shown last, the control that chooses it, and the key that goes through them. */
import type { ReactNode } from 'react';
import { Segmented } from '../../design';
import { hotkeys, useActions } from '../../keys';
import { useUiChoice } from '../../state';

interface Tab<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly count?: number;
}

export function usePanelTabs<T extends string>(panel: 'people' | 'sessions' | 'privacy', choices: readonly [Tab<T>, ...Tab<T>[]]): { tab: T; tabs: ReactNode } {
  const [tab, setTab, next] = useUiChoice(`${panel}.tab`, choices.map((each) => each.value), choices[0].value);
  const show = (to: T) => {
    // The view itself reports whether there is a row to act on.
    hotkeys.setContext({ cursor: false, selection: false });
    setTab(to);
  };
  useActions(panel, { [`${panel}.tab`]: () => show(next) });
  const tabs = <Segmented value={tab} testId={`${panel}-tab`} choices={choices.map((each) => ({ ...each, testId: `${panel}-tab-${each.value}` }))} onChange={show} />;
  return { tab, tabs };
}
