/** Words of the first page. */
import { number, plural } from './words';

export const welcome = {
  title: 'A private memory for every conversation you have',
  text: 'Keepsake reads your conversations on this computer, proposes a few well-founded memories, and keeps only those you approve.',
  sample: 'Explore with sample data',
  sampleHint: 'About ten seconds. Invented, clearly marked, removed in one click.',
  import: 'Import my own',
  importHint: 'An export from ChatGPT, Claude, WhatsApp, a meeting …',
  skip: 'Skip for now',
  local: 'Stays here',
  localText: 'Everything lives in one folder on this computer. Nothing is sent anywhere.',
  asks: 'Asks first',
  asksText: 'Each candidate shows the words it rests on. You decide with one key.',
  private: 'Private means private',
  privateText: 'One switch, and a conversation is never analysed.',
  where: 'Your data lives in',
  modelMissing: 'The local model is not there, so Keepsake matches by keywords. Everything works; Settings says how to add it.',
  modelLoading: 'The local model is being loaded. You need not wait for it.',
  loading: 'Loading the sample conversations',
  reading: 'Looking for memories',
  found: (count: number) => `${plural(count, 'candidate', 'candidates')} found`,
  nothing: 'No candidate came of it.',
  toReview: 'Go to Review',
  paused: 'Background work is paused.',
  failed: 'The sample data could not be loaded',
  jobs: (count: number) => `${number(count)} to go`,
};
