/**
 * The terminal agents whose sessions are on this computer, and the question whether to follow them. Nothing is followed before a
 * click, and "No" is asked once.
 */
import { SquareTerminal } from 'lucide-react';
import { useId, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type WatchedOffer, call, rpcKey, useRpc } from '../../api';
import { Button } from '../../design';
import { showError, showToast } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import css from './FollowOffers.module.css';

export function FollowOffers() {
  const words = t.sources.follow;
  const client = useQueryClient();
  const title = useId();
  const { data } = useRpc('watched_offers', {});
  const [isBusy, setBusy] = useState(false);
  if (!data || data.is_dismissed || data.items.length === 0) return null;
  const act = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch(showError);
    setBusy(false);
  };
  const follow = (offer: WatchedOffer) =>
    act(async () => {
      const sources = await call('watched_follow', { programs: [offer.program] });
      client.setQueryData(rpcKey('watched_list', {}), sources);
      await client.invalidateQueries({ queryKey: rpcKey('watched_offers', {}) });
      showToast({ text: words.did(offer.name), replaces: 'watched' });
    });
  const dismiss = () =>
    act(async () => {
      client.setQueryData(rpcKey('watched_offers', {}), await call('watched_offers_dismiss', {}));
    });
  return (
    <section className={css.card} aria-labelledby={title} data-testid={TESTIDS.followOffers}>
      <h2 className={css.title} id={title}>
        <SquareTerminal size={15} aria-hidden="true" />
        {words.title}
      </h2>
      <p className={css.text}>{words.text}</p>
      <ul className={css.rows}>
        {data.items.map((offer) => (
          <li key={offer.program} className={css.row} data-testid={TESTIDS.followOffer}>
            <div className={css.words}>
              <p className={css.name}>{words.found(offer.name, offer.sessions)}</p>
              <p className={css.path}>{offer.path}</p>
            </div>
            <Button size="s" disabled={isBusy} label={words.followName(offer.name)} testId={TESTIDS.follow} onClick={() => void follow(offer)}>
              {words.follow}
            </Button>
          </li>
        ))}
      </ul>
      <div className={css.foot}>
        <Button size="s" tone="quiet" disabled={isBusy} testId={TESTIDS.followDismiss} onClick={() => void dismiss()}>
          {words.dismiss}
        </Button>
      </div>
    </section>
  );
}
