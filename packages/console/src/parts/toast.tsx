import { Toast } from '@base-ui/react/toast'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import style from './dialog.module.css'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'
import { sentenceOf } from '../language/errors.ts'
import { useLanguage } from '../language/language.ts'
import { useTexts } from '../language/texts.ts'

const manager = Toast.createToastManager()

/** Tells that something was done; it goes by itself. */
export const tell = (message: string): void => void manager.add({ title: message, type: 'good' })

/** Tells that something failed that the page does not show elsewhere; it stays until it is closed. */
export const tellFailure = (message: string): void =>
  void manager.add({ title: message, type: 'bad', timeout: 0, priority: 'high' })

/** Tells an error likewise, in the language of the page. */
export function useTellError(): (error: unknown) => void {
  const { language } = useLanguage()
  return (error) => tellFailure(sentenceOf(error, language))
}

/** Where what was told appears; once on the page. */
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
