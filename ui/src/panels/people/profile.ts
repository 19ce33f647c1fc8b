/** A profile in display order, the reason why each past version ended, and the person's corrections. */
import { type Change, type ProfileEntryView, type ProfileVersionView, call } from '../../api';
import { perform } from '../../state';
import { nameOf, t } from '../../strings';

/** The order in the specification (seed 001). */
const TYPES = ['needs', 'expectations', 'preferences', 'gaps', 'satisfaction'];

export interface ProfileGroup {
  readonly type: string;
  readonly entries: readonly ProfileEntryView[];
}

export interface ProfileInOrder {
  /** Current entries, by type. */
  readonly groups: readonly ProfileGroup[];
  /** Entries that are no longer true or never were. */
  readonly past: readonly ProfileEntryView[];
}

/** Current entries by type, unknown types last; then past entries. Pure. */
export function inOrder(entries: readonly ProfileEntryView[]): ProfileInOrder {
  const held = entries.filter((entry) => entry.is_current);
  const types = [...new Set([...TYPES, ...held.map((entry) => entry.profile_type)])];
  return {
    groups: types.map((type) => ({ type, entries: held.filter((entry) => entry.profile_type === type) })).filter((group) => group.entries.length > 0),
    past: entries.filter((entry) => !entry.is_current),
  };
}

/** The facet in words: "Timing: reply", "Deployment status". */
export function facetWords(facet: string): string {
  const at = facet.indexOf(':');
  if (at < 0) return nameOf(t.profile.facets, facet);
  const [kind, detail] = [facet.slice(0, at), facet.slice(at + 1)];
  // A topic is shown without the name of the facet.
  return kind === 'topic' ? detail.replace(/^./u, (first) => first.toUpperCase()) : `${nameOf(t.profile.facets, kind)}: ${detail}`;
}

/** Why a version is no longer current. */
export type Ending =
  | { readonly kind: 'debunked'; readonly at: number }
  | { readonly kind: 'corrected' | 'otherwise' | 'evidence' | 'surer'; readonly at: number; readonly by: ProfileVersionView }
  /** It was true for a time and has ended. */
  | { readonly kind: 'over'; readonly at: number }
  /** It is also current, but comes from other places than the version shown. */
  | { readonly kind: 'beside' };

/** Determines why a version ended. A version is superseded when its successor is written. Pure. */
export function endingOf(version: ProfileVersionView, all: readonly ProfileVersionView[]): Ending {
  if (version.debunked !== null) return { kind: 'debunked', at: version.debunked };
  const by = version.superseded === null ? undefined : all.find((other) => other.id !== version.id && other.created === version.superseded);
  if (by && version.superseded !== null) {
    const kind = by.origin === 'person' ? 'corrected' : by.content !== version.content ? 'otherwise' : by.confidence !== version.confidence ? 'surer' : 'evidence';
    return { kind, at: version.superseded, by };
  }
  if (version.valid_to !== null) return { kind: 'over', at: version.valid_to };
  if (version.superseded !== null) return { kind: 'over', at: version.superseded };
  return { kind: 'beside' };
}

/** The reason in words. `day` formats a day. */
export function endingWords(ending: Ending, version: ProfileVersionView, day: (time: number) => string): string {
  const { ends } = t.profile;
  switch (ending.kind) {
    case 'otherwise':
      return ends.otherwise(ending.by.content);
    case 'evidence':
      return ends.evidence(ending.by.lines.length - version.lines.length);
    case 'surer':
      return ends.surer(nameOf(t.profile.confidence, ending.by.confidence));
    case 'over':
      return ends.over(day(ending.at));
    default:
      return ends[ending.kind];
  }
}

/** An entry is identified by its current version. */
export const byVersion = (entry: ProfileEntryView): string => entry.version.id;

const change = (entry: ProfileEntryView, version: Partial<ProfileVersionView>, rest: Partial<ProfileEntryView> = {}): readonly Change<ProfileEntryView>[] => {
  const { id } = entry.version;
  return [{ id, to: { ...rest, version: { ...entry.version, ...version } }, from: { is_current: entry.is_current, version: entry.version } }];
};

const mark = (id: string, is_disputed: boolean) => call('profile_debunk', { id, is_disputed });

/** Disputes an entry, with one undo. Until the backend responds, `now` is shown as the date. */
export function debunk(entry: ProfileEntryView, now: number): Promise<boolean> {
  const { id } = entry.version;
  return perform({ text: t.profile.didWrong, undone: t.profile.didRestore, changes: change(entry, { debunked: now }, { is_current: false }), send: () => mark(id, true), undo: () => mark(id, false) });
}

/** Undoes an earlier dispute. */
export function restore(entry: ProfileEntryView): Promise<boolean> {
  const { id } = entry.version;
  return perform({ text: t.profile.didRestore, undone: t.profile.didWrong, changes: change(entry, { debunked: null }), send: () => mark(id, false), undo: () => mark(id, true) });
}

/** Allows agents to use an entry anywhere, or undoes that. */
export function shareEntry(entry: ProfileEntryView, is_shared: boolean): Promise<boolean> {
  const { id } = entry.version;
  return perform({
    text: is_shared ? t.people.shared : t.people.unshared,
    undone: is_shared ? t.people.unshared : t.people.shared,
    changes: change(entry, { is_shared }),
    send: () => call('profile_share', { id, is_shared }),
    undo: () => call('profile_share', { id, is_shared: !is_shared }),
  });
}

/**
 * Replaces an entry with the person's own words. Versions are never removed, so an undo adds a version with the previous text.
 */
export function correct({ version }: ProfileEntryView, content: string): Promise<boolean> {
  return perform({
    text: t.profile.didCorrect,
    undone: t.profile.undidCorrect,
    send: () => call('profile_correct', { id: version.id, content }),
    undo: ({ id }) => call('profile_correct', { id, content: version.content }),
  });
}
