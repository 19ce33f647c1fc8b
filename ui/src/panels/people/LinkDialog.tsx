/** Links a person to any other handle by hand. The effect is shown first. */
import { useMemo, useRef, useState } from 'react';
import type { PersonView } from '../../api';
import { Dialog, type Option, Pick } from '../../design';
import { nameOf, t } from '../../strings';
import { TESTIDS } from '../../testids';
import { linkHandles } from './answers';
import { handleName, handleWithChannel, personName } from './clues';
import { LinkPreview, usePreview } from './LinkPreview';
import css from './People.module.css';

export function LinkDialog({ person, people, onClose }: { person: PersonView; people: readonly PersonView[]; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [own, setOwn] = useState(person.handles[0]?.id ?? '');
  const [other, setOther] = useState('');
  const others = useMemo(() => people.filter((each) => each.id !== person.id).flatMap((each) => each.handles), [people, person.id]);
  const options = useMemo<Option[]>(() => others.map((handle) => ({ value: handle.id, label: handleName(handle), hint: `${nameOf(t.channel, handle.channel)} · ${handle.handle}` })), [others]);
  const a = person.handles.find((each) => each.id === own);
  const b = others.find((each) => each.id === other);
  const preview = usePreview(a?.id ?? null, b?.id ?? null);
  const mayLink = a !== undefined && b !== undefined && preview.data !== undefined && preview.data.obstacle === null;
  const link = () => {
    if (!mayLink) return;
    onClose();
    void linkHandles(a, b);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.people.dialogTitle(personName(person))}
      testId={TESTIDS.linkDialog}
      focus={field}
      confirm={{ label: t.people.dialogLink, run: link, isDisabled: !mayLink, testId: TESTIDS.linkConfirm }}
    >
      <p className={css.hint}>{t.people.dialogText}</p>
      {person.handles.length > 1 ? (
        <div className={css.formRow}>
          <span className={css.formLabel}>{t.people.dialogOwn}</span>
          <Pick label={t.people.dialogOwn} options={person.handles.map((handle) => ({ value: handle.id, label: handleWithChannel(handle), hint: handle.handle }))} value={own} onChange={(next) => setOwn(next || own)} none={t.people.dialogNone} />
        </div>
      ) : null}
      <div className={css.formRow}>
        <span className={css.formLabel}>{t.people.dialogOther}</span>
        <Pick ref={field} label={t.people.dialogOther} options={options} value={other} onChange={setOther} placeholder={t.people.dialogPlaceholder} none={t.people.dialogNone} testId={TESTIDS.linkOther} />
      </div>
      {b ? <LinkPreview preview={preview} /> : <p className={css.previewEmpty}>{t.people.dialogFirst}</p>}
    </Dialog>
  );
}
