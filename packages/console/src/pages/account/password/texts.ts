import { defineTexts } from '../../../language/texts.ts'

/** Words of one's password. */
export const passwordTexts = defineTexts({
  en: {
    change: 'Change your password',
    set: 'Set a password',
    changeLead: 'Everywhere else you are signed out, and sign in with the new one.',
    setLead:
      'You have no password yet: you sign in with a passkey or a connected account. A password is another way in.',
    current: 'Current password',
    next: 'New password',
    hint: 'Several words that do not belong together make a good one. It is compared with lists of common passwords and with what is known about you.',
    show: 'Show what I type',
    save: 'Save the new password',
    changed: 'Your password is changed. You are signed out everywhere else.',
    isSet: 'Your password is set.',
  },
  zh: {
    change: '更改密码',
    set: '设置密码',
    changeLead: '其他设备将退出登录，需用新密码重新登录。',
    setLead: '您还没有密码，目前使用通行密钥或关联账号登录。密码是另一种登录方式。',
    current: '当前密码',
    next: '新密码',
    hint: '用几个互不相关的词组合成密码最为安全。系统会与常见密码及您的个人信息比对。',
    show: '显示输入的内容',
    save: '保存新密码',
    changed: '密码已更改，其他设备已退出登录。',
    isSet: '密码已设置。',
  },
})
