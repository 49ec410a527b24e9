import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { Button, classNames } from './button.tsx'
import style from './dialog.module.css'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'
import { errorMessage } from '../language/errors.ts'
import { useLanguage, useTexts } from '../language/language.ts'

const manager = Toast.createToastManager()

/** Shows a success notification that closes automatically. */
export const notify = (message: string): void => void manager.add({ title: message, type: 'good' })

/** Shows an error notification that stays until it is closed. */
export const notifyFailure = (message: string): void =>
  void manager.add({ title: message, type: 'bad', timeout: 0, priority: 'high' })

/** Returns a function that shows an error notification in the page's language. */
export function useNotifyError(): (error: unknown) => void {
  const { language } = useLanguage()
  return (error) => notifyFailure(errorMessage(error, language))
}

/** The container of notifications; once per page. */
export const Toasts = (): ReactNode => (
  <Toast.Provider toastManager={manager} timeout={5_000}>
    <Toast.Portal>
      <Toast.Viewport className={style['toasts']}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)

function ToastList(): ReactNode {
  const { toasts } = Toast.useToastManager()
  const texts = useTexts(partTexts)
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={classNames(style['toast'], toast.type === 'bad' && style['toastBad'])}
    >
      <Icon name={toast.type === 'bad' ? 'fail' : 'check'} />
      <div>
        <Toast.Title render={<p />} />
      </div>
      <Toast.Close render={<Button kind="quiet" small icon aria-label={texts.close} />}>
        <Icon name="close" size={16} />
      </Toast.Close>
    </Toast.Root>
  ))
}
