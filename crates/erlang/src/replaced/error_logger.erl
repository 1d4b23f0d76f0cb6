%% Nothing is logged: what a log would show is in the report.
-module(error_logger).
-export([format/2, error_msg/1, error_msg/2, error_report/1, error_report/2, warning_msg/1, warning_msg/2,
         warning_report/1, warning_report/2, info_msg/1, info_msg/2, info_report/1, info_report/2, tty/1,
         logfile/1, add_report_handler/1, add_report_handler/2, delete_report_handler/1, warning_map/0]).
format(_, _) -> ok.
error_msg(_) -> ok.
error_msg(_, _) -> ok.
error_report(_) -> ok.
error_report(_, _) -> ok.
warning_msg(_) -> ok.
warning_msg(_, _) -> ok.
warning_report(_) -> ok.
warning_report(_, _) -> ok.
info_msg(_) -> ok.
info_msg(_, _) -> ok.
info_report(_) -> ok.
info_report(_, _) -> ok.
tty(_) -> ok.
logfile(_) -> ok.
add_report_handler(_) -> ok.
add_report_handler(_, _) -> ok.
delete_report_handler(_) -> ok.
warning_map() -> warning.
