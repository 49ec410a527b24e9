import { defineTexts } from '../../../language/texts.ts'

/** Words of the dialog that asks who one is. */
export const confirmTexts = defineTexts({
  en: {
    title: 'Confirm that it is you',
    lead: 'This protects your account when somebody else sits at your device. What you were doing goes on by itself.',
    password: 'Your password',
    code: 'Code of your authenticator app, or a recovery code',
    confirm: 'Confirm',
    passkeyLead: 'Your browser asks for your passkey or security key.',
    usePasskey: 'Use your passkey',
    other: { password: 'Use your password', code: 'Use a code', passkey: 'Use a passkey' },
    noWay: 'Your account has nothing that you could confirm this with here. Sign in again, then come back.',
    signInAgain: 'Sign in again',
  },
  zh: {
    title: '请确认是您本人',
    lead: '这样即使有人使用您的设备，您的账号也是安全的。确认后，刚才的操作会自动继续。',
    password: '您的密码',
    code: '身份验证器中的验证码，或一个恢复码',
    confirm: '确认',
    passkeyLead: '浏览器会请您使用通行密钥或安全密钥。',
    usePasskey: '使用通行密钥',
    other: { password: '改用密码', code: '改用验证码', passkey: '改用通行密钥' },
    noWay: '您的账号没有可用于确认的方式。请重新登录后再回来。',
    signInAgain: '重新登录',
  },
})
