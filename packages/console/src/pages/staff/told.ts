import { notify, useNotifyError } from '../../parts/toast.tsx'

/** Callbacks of an action confirmed in a dialog: the dialog closes and the result is shown as a notification. */
export interface DialogCallbacks {
  onSuccess(): void
  onError(error: unknown): void
  onSettled(): void
}

/** Returns the callbacks of a confirmed action. @param done The success message. */
export function useDialogCallbacks(done: string, onClose: () => void): DialogCallbacks {
  const tellError = useNotifyError()
  return { onSuccess: () => notify(done), onError: tellError, onSettled: onClose }
}
