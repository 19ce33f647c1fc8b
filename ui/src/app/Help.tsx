import { Dialog } from '../design';
import { ACTIONS, type ActionId, type Scope, hotkeys, showKey } from '../keys';
import { usePanel } from '../state';
import { t } from '../strings';
import { TESTIDS } from '../testids';
import css from './Help.module.css';

/** The table of keys: the current panel first, then the global keys. */
export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  const panel = usePanel();
  const scopes: Scope[] = [panel, 'editor', 'global'];
  return (
    <Dialog open={open} onClose={onClose} title={t.keys.title} size="m" testId={TESTIDS.help}>
      {hotkeys.singleKeys() ? null : <p className={css.off}>{t.keys.off}</p>}
      <div className={css.columns}>
        {scopes.map((scope) => {
          const ids = (Object.keys(ACTIONS) as ActionId[]).filter((id) => ACTIONS[id].scope === scope);
          return ids.length === 0 ? null : (
            <section key={scope} className={css.section}>
              <h2 className={css.title}>{t.keys.scopes[scope]}</h2>
              <dl>
                {ids.map((id) => (
                  <div key={id} className={css.row}>
                    <dt>{ACTIONS[id].label}</dt>
                    <dd>
                      {ACTIONS[id].keys.map((key) => (
                        <kbd key={key} className={css.key}>
                          {showKey(key)}
                        </kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
