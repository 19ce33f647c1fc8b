/** Remembers words that the person selected, with an undo in the series of decisions. */
import { call } from '../api';
import { t } from '../strings';
import { perform } from './decisions';

export function rememberWords(message: string, start: number, end: number): void {
  let operation: string | null = null;
  void perform({
    text: t.memory.remembered,
    undone: t.memory.forgotten,
    send: async () => {
      operation = (await call('memory_remember', { interaction_id: message, start, end, category: null })).operation_id;
    },
    undo: async () => {
      // Without an operation, the memory existed before and stays.
      if (operation !== null) await call('undo', { operation_id: operation });
    },
  });
}
