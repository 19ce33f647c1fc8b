/**
 * The settings for language models. Changes are shown immediately, and each is reverted separately if storing it fails.
 *
 * The backend decides what an address means. The checks here only report problems before an address is sent.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ModelSettingsView, type ModelsView, type ProfileView, type ProviderView, call, rpcKey, useChoices, useRpc } from '../../api';
import { errorMessage } from '../../state';
import { t } from '../../strings';

/** A place next to which a problem is shown. */
export type Field = 'engines' | 'provider' | 'context' | 'tasks' | 'other' | 'key' | 'this_computer_only' | 'remote_tokens_a_day' | 'profile' | 'pause_on_battery' | 'earlier';

type Part = Partial<ModelSettingsView>;

const KEY = rpcKey('models_get', {});

export interface Models {
  readonly view: ModelsView;
  readonly problems: Partial<Record<Field, string>>;
  /** Stores a change. Resolves to whether it was accepted. */
  readonly change: (field: Field, part: Part) => Promise<boolean>;
  /** Replaces the view by a newer one from the backend. */
  readonly take: (view: ModelsView) => void;
  readonly say: (field: Field, problem: string | null) => void;
}

export function useModels(): { models: Models | null; error: Error | null; retry: () => void } {
  const client = useQueryClient();
  const { data: view, error, refetch } = useRpc('models_get', {});
  const [problems, setProblems] = useState<Partial<Record<Field, string>>>({});
  const say = (field: Field, problem: string | null) => setProblems((all) => ({ ...all, [field]: problem ?? undefined }));
  const take = (next: ModelsView) => client.setQueryData(KEY, next);
  const choose = useChoices<ModelsView, Part>({ key: KEY, apply: withPart, write: (next) => call('models_set', next.settings) });
  const change = async (field: Field, part: Part): Promise<boolean> => {
    say(field, null);
    try {
      await choose(part);
      return true;
    } catch (thrown) {
      say(field, errorMessage(thrown));
      return false;
    }
  };
  return { models: view ? { view, problems, change, take, say } : null, error, retry: () => void refetch() };
}

/** The settings after a write succeeds. For another server, it is unknown whether there is a key. */
function withPart(view: ModelsView, part: Part): ModelsView {
  const next = { ...view, settings: { ...view.settings, ...part } };
  return part.provider === undefined ? next : { ...next, has_key: false, is_local: part.provider === null || isThisComputer(part.provider.url) };
}

/** `URL.canParse` is newer than the oldest supported browser. */
function urlOf(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/** Whether an address is this computer: a loopback address, or `localhost` itself. */
export function isThisComputer(address: string): boolean {
  const hostname = urlOf(address)?.hostname ?? '';
  return /^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]' || hostname === 'localhost';
}

export const hostOf = (address: string): string => urlOf(address)?.host ?? address;

/** The problem with an address, checked before it is sent anywhere, or null. */
export function addressProblem(address: string, isOnlyHere: boolean): string | null {
  const text = address.trim();
  if (text === '') return null;
  const url = /^https?:\/\//i.test(text) ? urlOf(text) : null;
  if (!url) return t.models.addressBad;
  if (url.username || url.password) return t.models.addressUser;
  if (url.search || url.hash) return t.models.addressQuery;
  return isOnlyHere && !isThisComputer(text) ? t.models.addressRemote(url.host) : null;
}

export const isSame = (a: ProviderView | null, b: ProviderView): boolean => a !== null && a.shape === b.shape && a.url === b.url && a.model === b.model;

export const KINDS = ['fact', 'project', 'experience', 'story', 'relationship'] as const;

/** Each preset contains this many types, counted from the first. */
const PRESET_KINDS = { minimal: 2, balanced: 3, full: 4, unbounded: 5 } as const;
export type Preset = keyof typeof PRESET_KINDS | 'own';

export function profileOf(preset: keyof typeof PRESET_KINDS): ProfileView {
  const on = (kind: (typeof KINDS)[number]) => KINDS.indexOf(kind) < PRESET_KINDS[preset];
  return { fact: on('fact'), project: on('project'), experience: on('experience'), story: on('story'), relationship: on('relationship') };
}

export const PRESETS = Object.keys(PRESET_KINDS) as (keyof typeof PRESET_KINDS)[];

export const presetOf = (profile: ProfileView): Preset => PRESETS.find((preset) => KINDS.every((kind) => profileOf(preset)[kind] === profile[kind])) ?? 'own';
