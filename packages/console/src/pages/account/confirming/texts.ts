import { defineTexts } from '../../../language/texts.ts'

/** Texts of the reauthentication dialog. */
export const reauthenticationTexts = defineTexts({
  en: {
    title: 'Confirm it’s you',
    lead: 'This protects your account if someone else uses your device. Your action continues after you confirm.',
    password: 'Password',
    code: 'Authenticator code or recovery code',
    confirm: 'Confirm',
    passkeyLead: 'Your browser will ask for your passkey or security key.',
    usePasskey: 'Use passkey',
    other: { password: 'Use password instead', code: 'Use a code instead', passkey: 'Use a passkey instead' },
    noWay: 'You can’t confirm your identity with this session. Sign in again, then come back.',
    signInAgain: 'Sign in again',
  },
  zh: {
    title: '身份验证',
    lead: '为保护您的账号，请先验证身份，验证后会继续刚才的操作。',
    password: '密码',
    code: '身份验证器验证码或恢复码',
    confirm: '确认',
    passkeyLead: '浏览器将提示您使用通行密钥或安全密钥。',
    usePasskey: '使用通行密钥',
    other: { password: '改用密码', code: '改用验证码', passkey: '改用通行密钥' },
    noWay: '当前会话无法验证身份，请重新登录后再操作。',
    signInAgain: '重新登录',
  },
})
