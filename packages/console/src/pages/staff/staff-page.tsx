import { Link } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { ApiError } from '../../api/client.ts'
import type { Account } from '../../api/gateway-api.ts'
import { StaffOnly } from '../../frame/status-pages.tsx'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { DialogActions } from '../../parts/dialog.tsx'
import { focusFirstInvalid } from '../../parts/field.tsx'
import { Card, Page } from '../../parts/layout.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'
import style from './staff.module.css'

const TABS = [
  ['people', '/staff'],
  ['socialApps', '/staff/social-apps'],
  ['clients', '/staff/clients'],
  ['audit', '/staff/audit'],
] as const
type Tab = (typeof TABS)[number][0]

/** A staff page, below the tabs. */
export function StaffPage({
  tab,
  actions,
  children,
}: {
  readonly tab: Tab
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  const texts = useTexts(staffTexts)
  return (
    <StaffOnly>
      <Page title={texts.title} windowTitle={texts.tabs[tab]} actions={actions}>
        <nav aria-label={texts.sections} className={style['tabs']}>
          {TABS.map(([name, to]) => (
            <Link key={name} to={to} activeOptions={{ exact: true }} className={style['tab']}>
              {texts.tabs[name]}
            </Link>
          ))}
        </nav>
        {children}
      </Page>
    </StaffOnly>
  )
}

/** Callbacks of an action confirmed in a dialog: the dialog closes and the result is shown as a notification. */
interface DialogCallbacks {
  onSuccess(): void
  onError(error: unknown): void
  onSettled(): void
}

/** Returns the callbacks of a confirmed action. @param done The success message. */
export function useDialogCallbacks(done: string, onClose: () => void): DialogCallbacks {
  const notifyError = useNotifyError()
  return { onSuccess: () => notify(done), onError: notifyError, onSettled: onClose }
}

interface ListCardProps {
  readonly title: string
  /** Describes the list. */
  readonly lead: string
  /** Shown below the description. */
  readonly more?: ReactNode
  /** The search field. */
  readonly search?: ReactNode
  readonly children: ReactNode
}

/** A card with a heading and a list that fills it. */
export const ListCard = ({ title, lead, more, search, children }: ListCardProps): ReactNode => (
  <Card flush>
    <div className={style['head']}>
      <div className={style['two']}>
        <h2>{title}</h2>
        <p>{lead}</p>
        {more}
      </div>
      {search !== undefined && <div className={style['search']}>{search}</div>}
    </div>
    {children}
  </Card>
)

/** Shows a secret that can't be retrieved again. */
export const OneTimeSecret = ({
  secret,
  copyLabel,
  done,
  onDone,
  children,
}: {
  readonly secret: string
  readonly copyLabel: string
  readonly done: string
  onDone(): void
  readonly children?: ReactNode
}): ReactNode => (
  <>
    <div className={style['once']}>
      <code className={style['secret']}>{secret}</code>
      <div>
        <CopyButton text={secret} label={copyLabel} />
      </div>
      {children}
    </div>
    <DialogActions>
      <Button kind="primary" onClick={onDone}>
        {done}
      </Button>
    </DialogActions>
  </>
)

/** Error messages by field name. */
export type FieldErrors = Readonly<Record<string, string>>

/** Returns a form ref that focuses the first invalid field whenever errors change. */
export function useFocusOnError(errors: FieldErrors): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) focusFirstInvalid(form.current)
  }, [errors])
  return form
}

/** Returns the errors of the fields that a rejection names. @param names API names of the form's fields. */
export function findRejectedFields(error: ApiError, names: readonly string[], message: string): FieldErrors {
  const named = names.filter((name) => error.field === name || new RegExp(`(^|\\s)${name}[:.]`).test(error.message))
  return Object.fromEntries(named.map((name) => [name, message]))
}

/** ID of the owner token's account, which staff can't change. */
export const OWNER_ACCOUNT = 'owner'

/** Returns the person's name or email address, or else the account ID. */
export const accountName = ({ id, user }: Account): string => user?.name || user?.email || id

/** Texts of all staff pages. */
export const staffTexts = defineTexts({
  en: {
    title: 'Staff',
    sections: 'Staff pages',
    tabs: { people: 'Accounts', socialApps: 'Social login', clients: 'OAuth clients', audit: 'Audit log' },
    actionsLabel: (name: string) => `Actions for ${name}`,
    cancel: 'Cancel',
    save: 'Save changes',
    required: 'Required.',
    notTaken: 'Not valid.',
    search: 'Search',
    nothingFound: 'No results',
  },
  zh: {
    title: '系统管理',
    sections: '管理页面',
    tabs: { people: '账号', socialApps: '第三方登录', clients: 'OAuth 客户端', audit: '审计日志' },
    actionsLabel: (name) => `对 ${name} 的操作`,
    cancel: '取消',
    save: '保存',
    required: '此项必填。',
    notTaken: '内容不符合要求。',
    search: '搜索',
    nothingFound: '无匹配结果',
  },
})
